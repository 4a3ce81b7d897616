"""Pages about tournaments: the list, one with its standings, creating, stopping and resuming."""
