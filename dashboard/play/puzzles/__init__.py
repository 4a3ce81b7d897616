"""Puzzles: decisions of real matches, one at a time."""
