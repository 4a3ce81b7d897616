"""What a position is worth: nets, searching with them, and what is made of both.

It needs NumPy. All of it is optional: where there is no net for a game, a number of seats or
options, callers are told so and go on without.
"""
