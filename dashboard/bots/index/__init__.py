"""The list of bots and their connections."""
