"""Compares policies in many matches with duplicate deals."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log10

import numpy as np

from arena.games.batch import batch_class
from arena.games.batch.arrays import Index, Int16
from arena.value.strategies import Policy
from arena.value.turns import scores_of_points

NORMAL = 1.96  # standard errors in half of a 95% interval


@dataclass(frozen=True)
class Strength:
    """A policy's mean pair score against another, with its standard error by deals."""

    score: float
    error: float
    matches: int

    @property
    def elo(self) -> float:
        """The score as an Elo difference."""
        return -400 * log10(1 / self.score - 1)

    @property
    def elo_error(self) -> float:
        """Half of the 95% interval."""
        return NORMAL * self.error * 400 / log(10) / (self.score * (1 - self.score))


def play(game: str, seating: Index, policies: Sequence[Policy], seed: int) -> Int16:
    """Return the final points (N, seats) of matches, whose `seating` (N, seats) numbers policies.

    Adjacent matches, one for each rotation, have the same cards.
    """
    count, seats = seating.shape
    rng = np.random.default_rng(seed)
    dealt = batch_class(game)(count // seats, seats, rng.bytes(16))
    dealt.keep_moves()
    games = dealt.select(np.repeat(np.arange(count // seats), seats))
    final, places = np.zeros((count, seats), np.int16), np.arange(count)
    while True:
        over = games.finished
        if over.any():
            final[places[over]] = games.points[over]
            left = np.flatnonzero(~over)
            if not len(left):
                return final
            games, places = games.select(left), places[left]
        whose = seating[places, games.seat]
        actions = np.zeros(len(games), np.intp)
        for number, policy in enumerate(policies):
            own = np.flatnonzero(whose == number)
            if len(own):
                actions[own] = policy(games.offered().select(own), rng)
        games.step(actions)


def compare(game: str, seats: int, one: Policy, other: Policy, deals: int, seed: int) -> Strength:
    """Compare two policies with half of the seats each, or nearly so, in all rotations."""
    first = np.arange(seats) % 2
    rotations = np.stack([np.roll(first, turn) for turn in range(seats)])
    seating = np.tile(rotations, (deals, 1))
    final = play(game, seating, (one, other), seed)
    pairs = scores_of_points(final)
    mine, theirs = seating == 0, seating == 1
    among = mine[:, :, None] & theirs[:, None, :]
    per_deal = (pairs * among).sum(axis=(1, 2)).reshape(deals, seats).sum(axis=1)
    weight = among.sum(axis=(1, 2)).reshape(deals, seats).sum(axis=1)
    score = per_deal.sum() / weight.sum()
    return Strength(
        float(score), float((per_deal / weight).std(ddof=1) / np.sqrt(deals)), len(final)
    )
