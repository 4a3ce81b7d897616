"""Who takes part: accounts with their sessions, bots with their versions and tokens, guests."""
