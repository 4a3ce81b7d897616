"""One submission: its state as it changes, its log, its source, and going back to it."""
