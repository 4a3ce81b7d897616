"""Tournaments: their entrants, schedule, state and progress."""
