"""Tournaments among bots of known strength: proof that the statistics keep what they promise.

Results are drawn from a model instead of being played; pairing, ratings and the sequential test
are the arena's own. Nothing here touches a network or a database.

    world     bots of known strength in a game with luck; what is true of them
    dealer    draws the results of planned matches
    coverage  do 95 % intervals contain the truth in 95 % of cases?
    versus    how often does the sequential test err, how soon does it stop?
    intervals, draws, schedules, cases
              the same, with residuals, marks and rank ranges, for very many tables at once
    scores    the sequential test on deals of any kind
    ladder    how many matches until neighbours are told apart, against random pairing?
"""

import arena.one_thread  # noqa: F401  before NumPy
