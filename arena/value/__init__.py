"""Values of game states, learnt from self-play by small NumPy models.

    from arena.value import outcome
    model = outcome.find("lama", 4)
    model.scores(points, starter)      # (N, 4, 4): expected score of each seat against each other

`network` is a multi-layer perceptron, `catalog` finds the models of the package, and `strategies`
plays as the house bots in many games at once. This package needs NumPy. Without a model, `find`
returns None and the rest of the arena still works. `tests.lab.training` trains the models.
"""
