"""Trying actions in copies of games."""

from __future__ import annotations

import numpy as np

from arena.games.batch import Games
from arena.games.batch.arrays import Index, Int, entries
from arena.value.network import Floats
from arena.value.policy import Policy
from arena.value.search.ends import SeatValues
from arena.value.search.rollouts import RoundEnds, play_round


def tried(
    states: Games,
    among: Index,
    actions: Int,
    values: SeatValues,
    policy: Policy,
    rng: np.random.Generator,
) -> tuple[Floats, Floats, RoundEnds]:
    """Take actions (M,) in copies of the states `among` (M,), and play the rounds on.

    Returns the scores (M,) and the added points (M,) of the deciding seats, and the ends.
    """
    games = states.select(among)
    rounds, seats, before = games.round.copy(), games.seat.copy(), games.points.copy()
    games.step(actions)
    ends = play_round(games, rounds, lambda some, _: policy(some, rng))
    points = entries(ends.points - before, np.arange(len(seats)), seats).astype(np.float32)
    return values.of_seats(ends, seats), points, ends
