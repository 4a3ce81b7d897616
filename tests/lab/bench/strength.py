"""How strong bots are against each other, in bulk: what `bench strength` shows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

import arena.base.blas_threads  # noqa: F401 - before NumPy's threads start
from arena.games.batch import Games
from arena.games.batch.arrays import Int
from arena.value.policy import Policy
from arena.value.search.players import SEARCHING, player
from tests.lab.strength import Strength, compare

BEST = "best"  # stands for the strongest hand-written bot


@dataclass(frozen=True)
class Measured:
    """A bot beside another at tables where each has half of the seats."""

    game: str
    seats: int
    bot: str
    rounds: int  # that a searching bot plays on for a decision; 0 for others
    against: str
    found: Strength
    ms: float  # of CPU for a decision of the bot, many of them taken together


def measure(
    games: Sequence[str],
    seats: Sequence[int],
    bots: Sequence[str],
    against: str,
    rounds: Sequence[int],
    matches: int,
    seed: int,
) -> Iterator[Measured]:
    """Compares each of the bots with `against` at all these tables.

    Raises NotFound without a net, ValueError for an unknown name.
    """
    for game, count, bot in product(games, seats, bots):
        rival = strongest(game, count) if against == BEST else against
        for number in rounds if bot in SEARCHING else [0]:
            timed = Timed(player(bot, game, count, number))
            other = player(rival, game, count, max(rounds))
            found = compare(game, count, timed, other, max(2, matches // count), seed)
            yield Measured(game, count, bot, number, rival, found, timed.ms)


def strongest(game: str, seats: int) -> str:
    """The hand-written bot that beats the others here: `sharp`, at two seats `careful`, but in
    Kadabra. `python -m tests.lab bench strength --bot sharp --against careful` shows it."""
    return "careful" if seats == 2 and game != "kadabra" else "sharp"


class Timed:
    """A policy whose time is counted."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._seconds, self._decisions = 0.0, 0

    def __call__(self, games: Games, rng: np.random.Generator) -> Int:
        """As the policy has it."""
        began = time.process_time()
        chosen = self._policy(games, rng)
        self._seconds += time.process_time() - began
        self._decisions += len(games)
        return chosen

    @property
    def ms(self) -> float:
        """Milliseconds of CPU for a decision."""
        return 1000 * self._seconds / max(1, self._decisions)
