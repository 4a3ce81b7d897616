"""Simulated tournaments among bots of known strength, to check that the statistics are right.

Results are drawn from a model instead of being played; pairing, ratings and the sequential test
are the arena's own. Nothing here uses a network or a database.

    world     bots of known strength in a game with luck, and their true values
    dealer    draws the results of planned matches
    coverage  how often 95% intervals contain the truth
    versus    error rates and length of the sequential test
    intervals, draws, schedules, cases
              checks intervals, residuals, marks and rank ranges over very many tables
    scores    the sequential test on deals with any distribution of scores
    ladder    matches until neighbours are separated, compared with random pairing
"""

import arena.base.blas_threads  # noqa: F401  before NumPy
