"""Trying actions in copies of games, and playing rounds on to their end."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np

from arena.games.batch import Games
from arena.games.batch.arrays import Bool, Index, Int, Int8, Int16, entries
from arena.games.batch.rounds import IGNORED
from arena.value import outcome
from arena.value.catalog import NETS
from arena.value.network import Floats
from arena.value.strategies import Policy
from arena.value.turns import scores_of_points

# Takes games (M,) and their numbers among all N (M,), and returns an action for each. Actions of
# games that are over are ignored.
Chooser: TypeAlias = Callable[[Games, Index], Int]

# If a smaller share of the rounds goes on, finished games are dropped. Copying games after every
# step is slower than keeping a few finished ones.
GOING = 0.9
MOST_STEPS = 2000  # decisions after which an unfinished round is cut off

SCALE = 10.0  # lead in points that gives a pair score of 0.73 without a model


@dataclass(frozen=True)
class RoundEnds:
    """N games after the end of a round."""

    points: Int16  # (N, seats)
    starter: Int8  # (N,): the seat that starts the next round; undefined in a finished game
    finished: Bool  # (N,): whether the match is over


class SeatValues(Protocol):
    """Values of ends of rounds to some seats."""

    def of_seats(self, ends: RoundEnds, seats: Int) -> Floats:
        """Return the value for one seat of each game (N,); higher is better."""


def play_round(games: Games, rounds: Int16, chosen: Chooser) -> RoundEnds:
    """Play on until round `rounds` (N,) of each game is over; it may be over already. The state of
    `games` is undefined afterwards."""
    games.deals = False  # later rounds are not played
    ends = RoundEnds(games.points.copy(), games.starter.copy(), games.finished.copy())
    places, noted = np.arange(len(games)), np.zeros(len(games), np.bool_)
    for _ in range(MOST_STEPS):
        over = games.finished | (games.round != rounds[places])
        done = (over & ~noted).nonzero()[0]
        if len(done):
            ends.points[places[done]] = games.points[done]
            ends.starter[places[done]] = games.starter[done]
            ends.finished[places[done]] = games.finished[done]
            noted = over
            left = (~over).nonzero()[0]
            if not len(left):
                break
            if len(left) < GOING * len(over):
                games, places, noted = games.select(left), places[left], noted[left]
        games.perform(np.where(noted, IGNORED, chosen(games, places)).astype(np.uint8))
        games.is_offered = False
    return ends


def tried(
    states: Games,
    among: Index,
    actions: Int,
    values: SeatValues,
    policy: Policy,
    rng: np.random.Generator,
) -> tuple[Floats, Floats, RoundEnds]:
    """Take actions (M,) in copies of the states `among` (M,), and play the rounds on. Returns the
    scores (M,) and the added points (M,) of the deciding seats, and the ends."""
    games = states.select(among)
    rounds, seats, before = games.round.copy(), games.seat.copy(), games.points.copy()
    games.step(actions)
    ends = play_round(games, rounds, lambda some, _: policy(some, rng))
    points = entries(ends.points - before, np.arange(len(seats)), seats).astype(np.float32)
    return values.of_seats(ends, seats), points, ends


class EndValues:
    """Pair scores at the end of a round, by `arena.value.outcome` or by points without a model."""

    def __init__(
        self, game: str, seats: int, options: Mapping[str, str], folder: Path = NETS
    ) -> None:
        """Raises UnknownGame and BadOption."""
        self.net = outcome.find(game, seats, options, folder)

    @property
    def error(self) -> float:
        """The root mean square error of a seat's score; 0 without a model."""
        return self.net.error if self.net else 0.0

    def pairs(self, ends: RoundEnds) -> Floats:
        """Return the expected score of each seat against each other (N, seats, seats)."""
        if self.net:
            made = self.net.scores(ends.points, np.maximum(ends.starter, 0))
        else:
            lead = ends.points[:, None, :].astype(np.float32) - ends.points[:, :, None]
            made = (1 / (1 + np.exp(-lead / SCALE))).astype(np.float32)
        made[ends.finished] = scores_of_points(ends.points[ends.finished])
        return made

    def of_seats(self, ends: RoundEnds, seats: Int) -> Floats:
        """Return the expected mean pair score (N,), in [0, 1], of these seats (N,)."""
        own = entries(self.pairs(ends), np.arange(len(seats)), seats)
        mean: Floats = (own.sum(axis=1) - np.float32(0.5)) / np.float32(own.shape[1] - 1)
        return mean
