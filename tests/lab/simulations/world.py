"""Bots of known strength, in a game whose luck is known.

In a match bot b at seat s has the form

    x = strength + advantage(s) + cards(deal, s) + style(deal, b) + chance(match, b)

and gets max(0, round(EVEN - step x)) points: fewer are better, equal points tie, and several bots
can finish with none. In all rotations of a deal `cards` stay with the seat and `style` with the
bot, so matches of one deal are correlated as in the real game. The three sources of luck add up
to a Gumbel distribution, whatever their shares; so before rounding i beats j with exactly the
logistic probability that Elo assumes, 1 / (1 + 10^((R_j - R_i)/400)).
"""

from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import InvalidRequest

NATURAL = log(10.0) / 400.0  # strength of one Elo
EVEN = 12.0  # points at form 0
STEP = 4.0  # points for one unit of form, which multiplies the odds by e; fewer mean more ties
LOWEST_FORM = -8.0  # of a bot of strength 0; a lower form has a probability of exp(-exp(8))

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BotPopulation:
    """Bots by entrant number, each with its Elo, and the composition of a match's luck.

    `cards` and `style` are the shares of the variance of a bot's form due to its cards and to how
    well the deal suits it; the rest is chance. With the defaults, rotations save about as much
    variance as measured in LAMA with four seats. `advantage` is the worth of each seat in Elo;
    empty for none. `step`: points for one unit of form.
    """

    elo: tuple[float, ...]
    cards: float = 0.5
    style: float = 0.05
    advantage: tuple[float, ...] = ()
    step: float = STEP

    def __post_init__(self) -> None:
        """Raises InvalidRequest for shares of 1 or more in total."""
        if not (self.cards >= 0.0 and self.style >= 0.0 and self.cards + self.style < 1.0):
            raise InvalidRequest(
                f"The shares of luck are {self.cards:g} for cards and {self.style:g} for style; "
                "both are at least 0 and together less than 1."
            )

    @cached_property
    def strengths(self) -> Floats:
        """By entrant, natural-log strength (N,): the mean of its form, up to a constant."""
        return np.array(self.elo) * NATURAL

    def points(self, form: Floats) -> NDArray[np.int64]:
        """The points for these forms, an array of any shape."""
        return np.maximum(0, np.rint(EVEN - self.step * form)).astype(np.int64)

    def by_seat(self, seats: int) -> Floats:
        """Return the advantage of each seat (seats,)."""
        return np.array(self.advantage or (0.0,) * seats) * NATURAL

    @cached_property
    def scores(self) -> Floats:
        """E (N, N): the exact mean score of i against j over all pairs of seats, ties as one half.

        It follows from the distribution of points: at most m when the form is above
        (EVEN - m - 1/2) / step.
        """
        places = self.by_seat(len(self.advantage) or 2)
        pairs = [(i, j) for i in range(len(places)) for j in range(len(places)) if i != j]
        total = sum(
            (self._scores(places[i], places[j]) for i, j in pairs),
            np.zeros((len(self.elo), len(self.elo))),
        )
        return np.asarray((total + len(pairs) - total.T) / (2 * len(pairs)))

    def _scores(self, mine: float, other: float) -> Floats:
        """The score of each against each, in seats with these advantages."""
        lowest = LOWEST_FORM + min(0.0, self.strengths.min(initial=0.0)) + min(0.0, mine, other)
        edges = (EVEN - np.arange(int(EVEN - self.step * lowest) + 1) - 0.5) / self.step
        one, two = (
            -np.expm1(-np.exp(-(edges[None, :] - self.strengths[:, None] - place)))
            for place in (mine, other)
        )
        exactly = np.diff(one, axis=1, prepend=0.0)
        more = 1.0 - two + np.diff(two, axis=1, prepend=0.0) / 2  # more points, or half of as many
        return np.asarray(exactly @ more.T)
