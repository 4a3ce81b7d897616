"""Casual games of a person against bots, in the browser.

guests       the visitor: an account, or a browser with a signed cookie
opponents    the bots that can be chosen
starting     starting a game, which is an unrated tournament of one match
table_state  the state of a game, as its player may see it
at_table     the scene: that state and the connections of the bots
story        the moves since the player's last one
hints        the values of the legal actions
offers       the actions on offer, in groups, with keys
record       a person's finished games
view         the pages
daily        the daily deal
people       the ratings of people
"""
