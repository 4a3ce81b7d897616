"""Atom feeds: what happens here, for readers that look by themselves.

atom     a feed as XML
entries  what is told of tournaments, matches and bots
view     the addresses, and the links to them
"""
