"""Error rates of the sequential test for any distribution of a deal's score.

Instead of a game there is a distribution of the score y of a deal, from 0 to 1, whose mean is
that of a candidate elo0 or elo1 better: with few uneven deals, skewed, or one-sided. The test is
the arena's own, evaluated after every deal.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from arena.tournaments.ratings.sprt import Evidence, Hypotheses, judge
from tests.lab.simulations.tournament import Progress, generators, silent

# For a mean score, the scores a deal may have and their probabilities.
Shape = Callable[[float], Mapping[float, float]]

AT_ONCE = 256  # deals drawn at a time


def uneven(share: float) -> Shape:
    """A share of the deals is won or lost outright, all others are even. If the mean requires a
    larger share, only the better bot wins any."""

    def shape(mean: float) -> dict[float, float]:
        lead = 2 * (mean - 0.5)
        out = max(share, abs(lead))
        return {0.0: (out - lead) / 2, 0.5: 1 - out, 1.0: (out + lead) / 2}

    return shape


def rarely(extreme: float, share: float) -> Shape:
    """A small share of deals is won (1) or lost (0); the others lean slightly the other way."""

    def shape(mean: float) -> dict[float, float]:
        return {extreme: share, (mean - extreme * share) / (1 - share): 1 - share}

    return shape


def half_won(lost: float) -> Shape:
    """A few deals are lost outright, and more of them are half won."""

    def shape(mean: float) -> dict[float, float]:
        won = (mean - 0.5 + lost / 2) / 0.25
        return {0.0: lost, 0.5: 1 - lost - won, 0.75: won}

    return shape


SHAPES: dict[str, Shape] = {
    "one match a deal, no ties": uneven(1.0),
    "half of the deals uneven": uneven(0.5),
    "1 in 10 uneven": uneven(0.1),
    "1 in 17 uneven": uneven(0.06),
    "uneven only where better": uneven(0.0),
    "1 in 10 lost": rarely(0.0, 0.1),
    "1 in 50 lost": rarely(0.0, 0.02),
    "1 in 20 won": rarely(1.0, 0.05),
    "1 in 25 lost, others half won": half_won(0.04),
}


@dataclass(frozen=True, slots=True)
class SequentialCase:
    """A test of `elo0` against `elo1` on deals of this shape, at most `most` of them."""

    shape: str
    elo: float
    test: Hypotheses = field(default_factory=Hypotheses)
    most: int = 20_000


@dataclass(frozen=True, slots=True)
class Ended:
    """The share of runs that ended in each state, and the mean number of deals."""

    tried: SequentialCase
    runs: int
    accepted: float
    rejected: float
    indistinguishable: float
    undecided: float
    deals: float


def simulate(tried: SequentialCase, runs: int, seed: int, progress: Progress = silent) -> Ended:
    """Runs the test `runs` times. The same seed gives the same numbers."""
    mean = Hypotheses(tried.elo - 1.0, tried.elo).scores[1]
    scores = {score: chance for score, chance in SHAPES[tried.shape](mean).items() if chance > 0}
    states: Counter[str] = Counter()
    deals = 0
    for done, chance in enumerate(generators(seed, runs), 1):
        state, looked_at = _play(tried, list(scores), list(scores.values()), chance)
        states[state] += 1
        deals += looked_at
        progress(done)
    return Ended(
        tried,
        runs,
        states["accepted"] / runs,
        states["rejected"] / runs,
        states["indistinguishable"] / runs,
        states["running"] / runs,
        deals / runs,
    )


def _play(
    tried: SequentialCase,
    scores: Sequence[float],
    weights: Sequence[float],
    chance: np.random.Generator,
) -> tuple[str, int]:
    evidence, state = Evidence(), "running"
    while state == "running" and evidence.deals < tried.most:
        for y in chance.choice(scores, AT_ONCE, p=np.array(weights) / sum(weights)).tolist():
            evidence = evidence.add(y, tried.test)
            state = judge(evidence, tried.test).state
            if state != "running":
                break
    return state, evidence.deals
