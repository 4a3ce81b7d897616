"""What an author says of a bot."""
