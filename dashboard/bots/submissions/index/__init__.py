"""The upload form, and the list of a bot's submissions."""
