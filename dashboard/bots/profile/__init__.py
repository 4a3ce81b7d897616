"""One bot: its connection, ratings, matches and faults."""
