"""The featured match of a tournament, for spectators.

running  the scored rounds of a match in play, replayed from published data
show     the choice of the featured match
view     the page, its live fragment, and the frames of a match in play
"""
