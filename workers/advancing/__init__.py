"""Advancing tournaments: sign-up, start, next batches, end."""
