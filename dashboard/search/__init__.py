"""One field for whatever has a name: bots, authors, tournaments, matches."""
