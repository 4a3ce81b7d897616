"""Search for bots, authors, tournaments and matches by name."""
