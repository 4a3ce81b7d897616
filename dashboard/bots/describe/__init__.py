"""The author's description of a bot."""
