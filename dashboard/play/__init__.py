"""Casual games of a person against bots, in the browser.

guests       the visitor: an account, or a browser with a signed cookie
starting     the opponents, and starting a game: an unrated tournament of one match
table_state  the state of a game, as its player may see it
at_table     the scene: that state, the connections of the bots, and hints
story        the moves since the player's last one
offers       the actions on offer, in groups, with keys
record       a person's finished games
view         the pages
daily        the daily deal
people       the ratings of people
"""
