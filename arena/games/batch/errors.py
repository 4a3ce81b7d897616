"""Errors of batches, in addition to those of `arena.games.rules.errors`.

    RulesError
    └── BadBatch    not one entry for each game, or an invalid number of a game

Errors leave all games unchanged.
"""

from arena.games.rules.errors import RulesError


class BadBatch(RulesError):
    """The arrays do not fit the batch."""
