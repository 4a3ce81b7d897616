"""What a state of a game is worth, learnt from self-play: small nets in NumPy.

    from arena.value import outcome
    net = outcome.find("lama", 4)
    net.scores(points, starter)        # (N, 4, 4): expected score of each seat against each other

`network` is a multi-layer perceptron, `catalog` finds the nets that the package has, `strategies`
are the house's bots for many games at once. Everything here needs NumPy, and nothing else in the
arena needs a net: `find` is None where there is none. `tests.lab.training` trains the nets.
"""
