"""A tournament's table on show: one of its matches, played before everybody's eyes.

running  a match in play, as far as its rounds are scored: what is published, played once more
show     which match is on show, and since when
view     the page, its live part, the frames of a match in play
"""
