"""One match, move by move."""
