"""What is done with a tournament: stopping it, carrying it on, entering a bot in a ladder."""
