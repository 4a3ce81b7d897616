"""Pages about matches: the list, one match move by move, the replay."""
