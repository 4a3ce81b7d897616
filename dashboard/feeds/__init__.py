"""Atom feeds of tournaments, matches and bots.

atom     a feed as XML
entries  the entries of feeds
view     the feeds, and the links to them
"""
