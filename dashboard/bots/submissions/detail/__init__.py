"""One submission: its state, log and source, and rolling back to it."""
