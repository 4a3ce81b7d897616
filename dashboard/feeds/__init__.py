"""Atom feeds: what happens here, for readers that look by themselves.

atom     a feed as XML
entries  what is told of tournaments, matches and bots
links    which feeds belong to the present page
view     the addresses
"""
