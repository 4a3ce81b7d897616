"""The runs (processes) of the user's own hosted bot."""
