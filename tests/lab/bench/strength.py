"""Measures the strength of bots against each other, for `bench strength`."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

import arena.base.blas_threads  # noqa: F401 - before NumPy's threads start
from arena.games.batch import Games
from arena.games.batch.arrays import Int
from arena.value.strategies import Policy
from tests.lab.players import SEARCHING, player
from tests.lab.strength import Strength, compare

BEST = "best"  # stands for the strongest hand-written bot


@dataclass(frozen=True)
class Measured:
    """A bot against another, at tables where each has half of the seats."""

    game: str
    seats: int
    bot: str
    rounds: int  # that a searching bot plays out for a decision; 0 for others
    against: str
    found: Strength
    ms: float  # CPU time of a decision of the bot, with many made together


def measure(
    games: Sequence[str],
    seats: Sequence[int],
    bots: Sequence[str],
    against: str,
    rounds: Sequence[int],
    matches: int,
    seed: int,
) -> Iterator[Measured]:
    """Compare each of the bots with `against` at all these tables.

    Raises NotFound without a model, ValueError for an unknown name.
    """
    for game, count, bot in product(games, seats, bots):
        rival = strongest(game, count) if against == BEST else against
        for number in rounds if bot in SEARCHING else [0]:
            timed = Timed(player(bot, game, count, number))
            other = player(rival, game, count, max(rounds))
            found = compare(game, count, timed, other, max(2, matches // count), seed)
            yield Measured(game, count, bot, number, rival, found, timed.ms)


def strongest(game: str, seats: int) -> str:
    """Return the strongest hand-written bot: `careful` at two seats except in Kadabra, or `sharp`.
    `python -m tests.lab bench strength --bot sharp --against careful` measures it."""
    return "careful" if seats == 2 and game != "kadabra" else "sharp"


class Timed:
    """A policy with a timer."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._seconds, self._decisions = 0.0, 0

    def __call__(self, games: Games, rng: np.random.Generator) -> Int:
        """Return the actions of the policy."""
        began = time.process_time()
        chosen = self._policy(games, rng)
        self._seconds += time.process_time() - began
        self._decisions += len(games)
        return chosen

    @property
    def ms(self) -> float:
        """CPU milliseconds per decision."""
        return 1000 * self._seconds / max(1, self._decisions)
