"""The list of tournaments."""
