"""One tournament: how far it is, and its standings."""
