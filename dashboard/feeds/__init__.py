"""Atom feeds of tournaments, matches and bots."""
