"""The race of a tournament: the Elo of its bots over its progress."""
