"""One field for whatever has a name: bots, tournaments, matches."""
