"""Pages about bots: all of them, one with its results, one's own, and a test of one."""
