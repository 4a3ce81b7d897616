"""Who takes part: accounts with their sessions, bots with their versions and tokens, guests; what
hosts play of it, and what became of that."""
