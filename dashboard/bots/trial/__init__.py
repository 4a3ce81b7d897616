"""Unrated test matches of the user's own bot against house bots, with a report of its faults."""
