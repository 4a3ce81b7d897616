"""The daily deal: playing it, and the rankings of days."""
