"""Games with friends: people gather at a link, and bots fill the other seats.

steps  the changes of a table before its start
start  opening a table, and starting its game
view   the pages
watch  the game for spectators who have the link
"""
