"""Rounds played on to their end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from arena.games.batch import Games
from arena.games.batch.arrays import Bool, Index, Int, Int8, Int16
from arena.games.batch.rounds import IGNORED

# Takes games that are still played on, and some that are not, for which anything may be chosen; and
# which of all N they are (M,). An action of each.
Chooser: TypeAlias = Callable[[Games, Index], Int]

GOING = 0.9  # the share of rounds that go on below which the others are put aside: to copy games
# after every step takes longer than to carry some along
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
    games.deals = False  # for rounds that are not played
    ends = RoundEnds(games.points.copy(), games.starter.copy(), games.finished.copy())
    places, noted = np.arange(len(games)), np.zeros(len(games), np.bool_)
    for _ in range(MOST_STEPS):
        over = games.finished | (games.round != rounds[places])
        done = np.flatnonzero(over & ~noted)
        if len(done):
            ends.points[places[done]] = games.points[done]
            ends.starter[places[done]] = games.starter[done]
            ends.finished[places[done]] = games.finished[done]
            noted = over
            left = np.flatnonzero(~over)
            if not len(left):
                break
            if len(left) < GOING * len(over):
                games, places, noted = games.select(left), places[left], noted[left]
        games.perform(np.where(noted, IGNORED, chosen(games, places)).astype(np.uint8))
        games.is_offered = False
    return ends
