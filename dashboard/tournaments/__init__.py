"""Pages about tournaments: the list, one tournament, creating, cancelling and resuming."""
