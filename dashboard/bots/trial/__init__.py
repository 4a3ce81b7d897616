"""Test matches of one's own bot against bots of the house: unrated, and saying what went wrong."""
