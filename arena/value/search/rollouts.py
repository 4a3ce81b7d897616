"""Rounds played on to their end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from arena.batch import Games
from arena.batch.arrays import Bool, Index, Int, Int8, Int16

# Takes those games that are still played on, and which of all N they are (M,); an action of each.
Chooser: TypeAlias = Callable[[Games, Index], Int]

MOST_STEPS = 2000  # decisions after which a round is taken as it is


@dataclass(frozen=True)
class RoundEnds:
    """N games when the round in which they were is over."""

    points: Int16  # (N, seats)
    starter: Int8  # (N,): who starts the next round; of no meaning in a finished game
    finished: Bool  # (N,): whether the match is over


def play_round(games: Games, rounds: Int16, chosen: Chooser) -> RoundEnds:
    """Plays the games on until round number `rounds` (N,) of each is over; some may be already.

    `games` is used up: it is left somewhere on the way.
    """
    ends = RoundEnds(games.points.copy(), games.starter.copy(), games.finished.copy())
    places = np.arange(len(games))
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
        games.step(chosen(games, places))
    return ends
