"""Choosing between the light and the dark theme."""
