"""Leaderboards by game and number of seats."""
