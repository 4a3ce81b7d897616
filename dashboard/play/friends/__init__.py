"""Games with friends: people gather at a link, and bots fill the other seats.

tables  opening a table, its changes before its start, and starting its game
view    the pages
watch   the game for spectators who have the link
"""
