"""Pages about ratings: the tables, pairs, and what the numbers mean."""
