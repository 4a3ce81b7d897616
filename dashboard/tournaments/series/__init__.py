"""A series of tournaments."""
