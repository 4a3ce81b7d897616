"""Rounds played on to their end, by one policy in all seats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.batch import Games
from arena.batch.arrays import Bool, Int8, Int16
from arena.value.policy import Policy

MOST_STEPS = 2000  # decisions after which a round is taken as it is


@dataclass(frozen=True)
class RoundEnds:
    """N games when the round in which they were is over."""

    points: Int16  # (N, seats)
    starter: Int8  # (N,): who starts the next round; of no meaning in a finished game
    finished: Bool  # (N,): whether the match is over


def play_round(games: Games, rounds: Int16, policy: Policy, rng: np.random.Generator) -> RoundEnds:
    """Plays the games on until round number `rounds` (N,) of each is over; some may be already.

    `games` is used up: it is left somewhere on the way.
    """
    ends = RoundEnds(games.points.copy(), games.starter.copy(), games.finished.copy())
    places = np.arange(len(games))  # of the games that are left, in `ends`
    for _ in range(MOST_STEPS):
        over = games.finished | (games.round != rounds[places])
        if over.any():
            done = np.flatnonzero(over)
            ends.points[places[done]] = games.points[done]
            ends.starter[places[done]] = games.starter[done]
            ends.finished[places[done]] = games.finished[done]
            left = np.flatnonzero(~over)
            if not len(left):
                break
            games, places = games.select(left), places[left]
        games.step(policy(games, rng))
    return ends
