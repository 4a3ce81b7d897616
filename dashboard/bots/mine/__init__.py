"""The list of the user's own bots, and creating one."""
