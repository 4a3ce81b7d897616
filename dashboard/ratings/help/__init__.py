"""Explanations of the numbers."""
