"""Luck and reviews of finished matches."""
