"""Ratings: pure functions of points and of the ratings before."""
