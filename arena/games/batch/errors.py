"""Errors of batches; those of `arena.games.rules.errors` mean the same here.

    RulesError
    └── BadBatch    not one entry for each game, or a number that is no game of the batch

An error leaves all games unchanged.
"""

from __future__ import annotations

from arena.games.rules.errors import RulesError


class BadBatch(RulesError):
    """The arrays do not fit the batch."""
