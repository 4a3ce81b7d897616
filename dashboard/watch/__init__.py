"""The featured match of a tournament, for spectators.

show  the choice of the featured match, and the scored rounds of a match in play
view  the page, its live fragment, and the frames of a match in play
"""
