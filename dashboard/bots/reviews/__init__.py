"""The reviews of a bot's matches."""
