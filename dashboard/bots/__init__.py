"""Pages about bots: all of them, one with its results, one's own, a test of one; submitting one,
and what became of its processes."""
