"""The list of matches, by bot and tournament."""
