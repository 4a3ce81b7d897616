"""The pages on the games."""
