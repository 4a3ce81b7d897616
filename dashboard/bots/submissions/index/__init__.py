"""The form that takes an upload, and the list of a bot's submissions."""
