"""The discussion of a tournament."""
