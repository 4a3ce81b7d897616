"""The rating table of people."""
