"""Values of game states, learnt from self-play by small NumPy models.

    from arena.value import outcome
    net = outcome.find("lama", 4)
    net.scores(points, starter)        # (N, 4, 4): expected score of each seat against each other

`network` is a multi-layer perceptron, `catalog` finds the models of the package, `strategies` are
the house bots for many games at once. This package needs NumPy. The rest of the arena works without
models, for which `find` returns None. `tests.lab.training` trains the models.
"""
