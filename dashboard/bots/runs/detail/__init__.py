"""One run: its outcome and its output by decision."""
