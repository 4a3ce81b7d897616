"""The replay of a match: the table seen from above, one decision after the other."""
