"""Is the candidate better than the baseline? A sequential test over deals that stops by itself.

Every deal gives one number y from 0 to 1: the candidate's mean score against the baseline over all
matches of the deal. Let s0 and s1 be the expected scores at the Elo differences of the two
hypotheses. Two gamblers bet on y at fair odds. In the long run, the first cannot profit if the mean
of y is s0 or less, and the second cannot if it is s1 or more:

    B = product over deals of 1 + b (y - s0)         for "better"
    W = product over deals of 1 + b (s1 - y)         for "worse"
    b = (s1 - s0) / (variance of y in the deals before), at most half of the possible loss

    accept H1 (the candidate is elo1 better)     at B >= 1/alpha
    accept H0 (it is only elo0 better)           at W >= 1/beta

A fortune at fair odds ever reaches 1/alpha with a probability of at most alpha. This holds for any
number of deals, any distribution of y and any bets on past results (Ville's inequality;
Waudby-Smith and Ramdas 2023, "Estimating means of bounded random variables by betting"). So the
error rates hold over all stopping times together, even for few or skewed deals, where the normal
approximation of the generalized sequential probability ratio test (GSPRT) has twice the stated
error. Where that approximation is good, ln B is its log-likelihood ratio, ln W the negative, and
the test needs the same number of deals.

Matches of a deal are correlated, so the deal is the unit, and its variance is measured. One deal of
variance 1/4, the maximum for a score, is added to the estimate.

With luck-adjusted scores (`arena.tournaments.ratings.match_luck`), y may leave the range 0 to 1 by
up to `beyond`, which is known before the deal. This raises the possible loss and lowers the stake.
The mean of y is unchanged, so the odds stay fair and the error rates hold.

A deal decided by a forfeit says nothing about strength. It counts as lost for both gamblers, so no
verdict depends on it. See `arena.tournaments.formats.versus_evidence` for when a test is given up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite, log, log1p, log10, sqrt
from typing import Literal

from arena.base.errors import InvalidRequest
from arena.tournaments.ratings.elo import expected
from arena.tournaments.ratings.normal import Z95

State = Literal["running", "accepted", "rejected", "indistinguishable", "undecided"]

GREATEST_VARIANCE = 0.25
MOST_ELO = 1000.0
MOST_AT_STAKE = 0.5  # largest share of a gambler's fortune at stake in one deal
# The same if scores may leave 0 to 1; few come near the bound.
MOST_BEYOND = 0.9


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """The hypotheses of a test: Elo differences candidate minus baseline, and error rates.

    `alpha` is the allowed rate of accepting a candidate that is only elo0 better. `beta` is that
    of rejecting one that is elo1 better, or calling it indistinguishable.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Raises InvalidRequest for a test that cannot end or is meaningless."""
        if not (isfinite(self.elo0) and isfinite(self.elo1) and self.elo0 < self.elo1):
            raise InvalidRequest(
                f"elo0 is {self.elo0:g} and elo1 is {self.elo1:g}. Choose elo0 below elo1."
            )
        if max(-self.elo0, self.elo1) > MOST_ELO:
            raise InvalidRequest(f"elo0 and elo1 must be within {MOST_ELO:g} Elo of 0.")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 1e-6 <= value < 0.5:
                raise InvalidRequest(f"{name} is {value:g}. It must be from 0.000001 to below 0.5.")

    @property
    def lower(self) -> float:
        """The lower bound of the log-likelihood ratio: H0 is accepted at ln W >= -lower."""
        return log(self.beta)

    @property
    def upper(self) -> float:
        """The upper bound of the log-likelihood ratio: H1 is accepted at ln B >= upper."""
        return -log(self.alpha)

    @property
    def scores(self) -> tuple[float, float]:
        """The expected mean scores, from 0 to 1, under H0 and H1."""
        return expected(self.elo0, 0.0), expected(self.elo1, 0.0)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of any number of deals, as sums.

    `total` and `squares` are the sums of y - 1/2 and of its square. They are nearly exact, because
    y has a small denominator (a power of two if luck-adjusted). `better` is ln B and `worse` ln W,
    which depend on the order of deals. Only these two include deals decided by a forfeit.
    """

    deals: int = 0
    total: float = 0.0
    squares: float = 0.0
    better: float = 0.0
    worse: float = 0.0

    @classmethod
    def of(cls, y_per_deal: Sequence[float], test: Hypotheses) -> Evidence:
        """Returns the evidence of deals in the given order. Raises InvalidRequest if a y is not a
        score."""
        evidence = cls()
        for y in y_per_deal:
            evidence = evidence.add(y, test)
        return evidence

    def add(self, y: float, test: Hypotheses, beyond: float = 0.0) -> Evidence:
        """Returns the evidence with another deal, whose y may leave 0 to 1 by `beyond`. Raises
        InvalidRequest for a y outside of this range."""
        if not -beyond <= y <= 1.0 + beyond:
            raise InvalidRequest(
                f"A deal's score must be from {0 - beyond:g} to {1 + beyond:g}. It is {y}."
            )
        off = y - 0.5
        better, worse = self._after(y, y, test, beyond)
        return Evidence(self.deals + 1, self.total + off, self.squares + off * off, better, worse)

    def forfeit(self, test: Hypotheses, beyond: float = 0.0) -> Evidence:
        """Returns the evidence with a deal decided by a forfeit, which both gamblers lose."""
        better, worse = self._after(0.0, 1.0, test, beyond)
        return replace(self, better=better, worse=worse)

    def _after(
        self, to_better: float, to_worse: float, test: Hypotheses, beyond: float
    ) -> tuple[float, float]:
        """Returns ln B and ln W after a deal, with separate values of y for both gamblers."""
        s0, s1 = test.scores
        bet = (s1 - s0) / self.variance
        most = MOST_BEYOND if beyond else MOST_AT_STAKE
        on_better = min(bet, most / (s0 + beyond))
        on_worse = min(bet, most / (1.0 - s1 + beyond))
        return (
            self.better + log1p(on_better * (to_better - s0)),
            self.worse + log1p(on_worse * (s1 - to_worse)),
        )

    @property
    def mean(self) -> float:
        """The candidate's mean score; 1/2 before the first deal."""
        return 0.5 + self.total / self.deals if self.deals else 0.5

    @property
    def variance(self) -> float:
        """Variance of y between deals, with one deal of the greatest variance added."""
        spread = self.squares - self.total**2 / self.deals if self.deals else 0.0
        return (max(spread, 0.0) + GREATEST_VARIANCE) / (self.deals + 1)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The state of a test. All numbers are finite, even before the first deal.

    state            running; accepted (H1); rejected (H0); indistinguishable (rejected, and every
                     deal was even, as for two copies of a deterministic program); or undecided
                     (given up, because forfeits decided too many deals)
    llr              ln B, or -ln W if it is closer to its bound: nearly the log-likelihood ratio;
                     the test ends at `lower` or `upper`
    deals            deals without those decided by a forfeit
    mean             the candidate's mean score against the baseline, 0 to 1
    normalized_elo   Elo in units of the spread of one match (800/ln 10 times mean - 1/2 in
                     standard deviations), comparable between games of different luck
    plus_minus       half the width of its 95% interval
    """

    state: State
    llr: float
    lower: float
    upper: float
    deals: int
    mean: float
    normalized_elo: float
    plus_minus: float


def judge(evidence: Evidence, test: Hypotheses, matches_per_deal: int = 2) -> Verdict:
    """Returns the verdict on the evidence. `matches_per_deal` affects normalized Elo alone. The
    first verdict other than "running" is final. Callers stop there."""
    elo, plus_minus = normalized_elo(evidence, matches_per_deal)
    return Verdict(
        _state(evidence, test),
        _ratio(evidence, test),
        test.lower,
        test.upper,
        evidence.deals,
        evidence.mean,
        elo,
        plus_minus,
    )


def normalized_elo(evidence: Evidence, matches_per_deal: int) -> tuple[float, float]:
    """Returns normalized Elo and half the width of its 95% interval.

    The spread of one match is the spread of a deal times the square root of its matches. The
    interval uses the delta method for a mean in units of its standard deviation: variance
    (1 + t^2/2) / N. It assumes a fixed number of deals. A test that stops early slightly
    overestimates the difference.
    """
    unit = 800.0 / log(10.0) / sqrt(matches_per_deal)
    t = (evidence.mean - 0.5) / sqrt(evidence.variance)
    error = sqrt((1.0 + t * t / 2.0) / max(evidence.deals, 1))
    return unit * t, unit * Z95 * error


def deals_left(evidence: Evidence, test: Hypotheses) -> float | None:
    """Returns how many more deals the test needs if they continue as before; None if neither
    gambler would profit. The first gambler to reach its bound counts.

    This is a rough estimate, to an order of magnitude.
    """
    ends = []
    for needed, growth in zip(
        (test.upper - evidence.better, -test.lower - evidence.worse),
        _growth(evidence, test),
        strict=True,
    ):
        if growth > 0.0:
            ends.append(max(needed, 0.0) / growth)
    return min(ends, default=None)


def _growth(evidence: Evidence, test: Hypotheses) -> tuple[float, float]:
    """Returns the gain of ln B and ln W per deal to second order, if results continue."""
    s0, s1 = test.scores
    bet = (s1 - s0) / evidence.variance
    gains = []
    for most, ahead in ((s0, evidence.mean - s0), (1.0 - s1, s1 - evidence.mean)):
        stake = min(bet, MOST_AT_STAKE / most)
        gains.append(stake * ahead - stake**2 * (evidence.variance + ahead**2) / 2.0)
    return gains[0], gains[1]


def elo_difference(evidence: Evidence) -> tuple[float, float]:
    """Returns the candidate's lead in Elo, and half the width of its 95% interval.

    It is the difference whose expected score is the mean score. One even deal is added, so that it
    is finite. The interval uses the delta method and has the limits of `normalized_elo`.
    """
    # With few luck-adjusted deals, the mean may be outside the possible range.
    least = 0.5 / (evidence.deals + 1)
    mean = min(max(0.5 + evidence.total / (evidence.deals + 1), least), 1.0 - least)
    error = sqrt(evidence.variance / max(evidence.deals, 1))
    slope = 400.0 / log(10.0) / (mean * (1.0 - mean))
    return 400.0 * log10(mean / (1.0 - mean)), Z95 * slope * error


def _state(evidence: Evidence, test: Hypotheses) -> State:
    if evidence.worse >= -test.lower:
        return "rejected" if evidence.squares else "indistinguishable"
    return "accepted" if evidence.better >= test.upper else "running"


def _ratio(evidence: Evidence, test: Hypotheses) -> float:
    """Returns ln B or -ln W, whichever is closer to its bound; 0 while both have lost."""
    up, down = evidence.better / test.upper, evidence.worse / -test.lower
    if max(up, down) <= 0.0:
        return 0.0
    return evidence.better if up > down and down < 1.0 else -evidence.worse
