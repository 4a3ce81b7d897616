"""Pages about bots: the list, one bot, the user's own bots with tests, submissions and runs."""
