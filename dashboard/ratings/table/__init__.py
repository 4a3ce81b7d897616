"""Rating tables, per game and number of seats."""
