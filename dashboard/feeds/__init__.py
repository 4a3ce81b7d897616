"""Atom feeds of tournaments, matches and bots.

atom  a feed as XML
view  the feeds with their entries, and the links to them
"""
