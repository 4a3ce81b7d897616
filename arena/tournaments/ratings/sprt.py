"""Is the candidate better than the baseline? A sequential test over deals that stops by itself.

Every deal gives one number y from 0 to 1: the candidate's mean score against the baseline over
all matches of the deal (1 for more often ahead than not at every table, 1/2 for even). With s0
and s1 the scores that the Elo differences of the two hypotheses lead to expect, two gamblers bet
on it at fair odds. The first would win nothing in the long run if the mean of y were s0 or less,
the second if it were s1 or more:

    B = product over deals of 1 + b (y - s0)         for "better"
    W = product over deals of 1 + b (s1 - y)         for "worse"
    b = (s1 - s0) / (variance of y in the deals before), at most half of what may be lost

    accept H1 (the candidate is elo1 better)     at B >= 1/alpha
    accept H0 (it is only elo0 better)           at W >= 1/beta

A fortune at fair odds ever grows to 1/alpha with a probability of no more than alpha, however
long one plays, however y is distributed and however one bets on what was seen before (Ville's
inequality; Waudby-Smith and Ramdas 2023, "Estimating means of bounded random variables by
betting"). So the errors hold over all ways of stopping together, with few uneven or skewed
deals too, where the normal approximation of the generalized sequential probability ratio test
(GSPRT) errs twice as often as it says. Where that approximation is good, ln B is its
log-likelihood ratio, ln W its negative, and the test takes as many deals.

Matches of one deal are correlated, so the deal is the unit and its spread is measured, not
assumed. One deal of variance 1/4, the greatest that a score can have, is counted in.

With luck taken out (`arena.tournaments.ratings.match_luck`) y may leave 0 to 1, but not by more
than `beyond`, which is known before the deal; what a gambler may lose is the larger by that, and
the stake the smaller. The mean of y is the same, so the odds stay fair, and the errors hold as
they do without.

A deal that a forfeit decided tells nothing of strength. It counts as lost for either gambler, so
that no verdict rests on it; see `arena.tournaments.formats.versus_evidence` for when a test is
given up.
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
MOST_AT_STAKE = 0.5  # of a gambler's fortune, in one deal
# The same of deals whose scores may leave 0 to 1: hardly any comes near the bound.
MOST_BEYOND = 0.9


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """What is tested: Elo differences candidate minus baseline, and the errors allowed.

    `alpha` is how often a candidate that is only elo0 better may be accepted, `beta` how often
    one that is elo1 better may be rejected or called indistinguishable.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Raises InvalidRequest for a test that cannot end or says nothing."""
        if not (isfinite(self.elo0) and isfinite(self.elo1) and self.elo0 < self.elo1):
            raise InvalidRequest(
                f"The test has elo0 {self.elo0:g} and elo1 {self.elo1:g}; elo0 must be the smaller."
            )
        if max(-self.elo0, self.elo1) > MOST_ELO:
            raise InvalidRequest(f"elo0 and elo1 lie within {MOST_ELO:g} Elo of 0.")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 1e-6 <= value < 0.5:
                raise InvalidRequest(f"{name} is {value:g}; it must be from 0.000001 to below 0.5.")

    @property
    def lower(self) -> float:
        """Minus the ln W at which H0 is accepted."""
        return log(self.beta)

    @property
    def upper(self) -> float:
        """The ln B at which H1 is accepted."""
        return -log(self.alpha)

    @property
    def scores(self) -> tuple[float, float]:
        """The mean scores, from 0 to 1, that H0 and H1 lead to expect."""
        return expected(self.elo0, 0.0), expected(self.elo1, 0.0)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the test needs to know of any number of deals, so that none has to be kept.

    `total` and `squares` are the sums of y - 1/2 and of its square: y is a fraction with a small
    denominator (with luck taken out, a power of two), and even deals add exact zeros. `better` is
    ln B and `worse` is ln W, which depend on the order of deals. Deals that a forfeit decided are
    in these two alone.
    """

    deals: int = 0
    total: float = 0.0
    squares: float = 0.0
    better: float = 0.0
    worse: float = 0.0

    @classmethod
    def of(cls, y_per_deal: Sequence[float], test: Hypotheses) -> Evidence:
        """The evidence of deals in the order they are given. Raises InvalidRequest for a y that
        is no score."""
        evidence = cls()
        for y in y_per_deal:
            evidence = evidence.add(y, test)
        return evidence

    def add(self, y: float, test: Hypotheses, beyond: float = 0.0) -> Evidence:
        """With one deal more, whose y could leave 0 to 1 by so much. Raises InvalidRequest for a y
        outside of that."""
        if not -beyond <= y <= 1.0 + beyond:
            raise InvalidRequest(
                f"A deal's score is from {0 - beyond:g} to {1 + beyond:g}, not {y}."
            )
        off = y - 0.5
        better, worse = self._after(y, y, test, beyond)
        return Evidence(self.deals + 1, self.total + off, self.squares + off * off, better, worse)

    def forfeit(self, test: Hypotheses, beyond: float = 0.0) -> Evidence:
        """With one deal more that a forfeit decided: both gamblers have lost it."""
        better, worse = self._after(0.0, 1.0, test, beyond)
        return replace(self, better=better, worse=worse)

    def _after(
        self, to_better: float, to_worse: float, test: Hypotheses, beyond: float
    ) -> tuple[float, float]:
        """ln B and ln W after a deal that is such a y to the one and the other."""
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
        """The candidate's mean score, 1/2 before the first deal."""
        return 0.5 + self.total / self.deals if self.deals else 0.5

    @property
    def variance(self) -> float:
        """Variance of y between deals, one of the greatest variance beside them."""
        spread = self.squares - self.total**2 / self.deals if self.deals else 0.0
        return (max(spread, 0.0) + GREATEST_VARIANCE) / (self.deals + 1)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Where a test stands. All numbers are finite, also before the first deal.

    state            running; accepted (H1); rejected (H0); indistinguishable: rejected, and every
                     deal was even, as with twice the same deterministic program; or undecided:
                     given up, since forfeits decided too many deals
    llr              ln B, or -ln W if that is closer to its bound: as good as the log-likelihood
                     ratio; the test ends at `lower` or `upper`
    deals            without those that a forfeit decided
    mean             the candidate's mean score against the baseline, 0 to 1
    normalized_elo   Elo in units of the spread of one match (800/ln 10 times mean - 1/2 in
                     standard deviations), which is comparable between games of different luck
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


def decide(
    y_per_deal: Sequence[float],
    elo0: float,
    elo1: float,
    alpha: float = 0.05,
    beta: float = 0.05,
    *,
    matches_per_deal: int = 2,
) -> Verdict:
    """The verdict after these deals, if all were looked at; see `judge`. Costs O(deals)."""
    test = Hypotheses(elo0, elo1, alpha, beta)
    return judge(Evidence.of(y_per_deal, test), test, matches_per_deal)


def judge(evidence: Evidence, test: Hypotheses, matches_per_deal: int = 2) -> Verdict:
    """The verdict on what was seen. `matches_per_deal` is used for normalized Elo alone.

    The first verdict that is not "running" stands: whoever looks deal by deal or block by block
    stops there.
    """
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
    """Normalized Elo and half the width of its 95% interval.

    The spread of one match is taken as that of a deal times the square root of its matches. The
    interval is the delta method's for a mean in units of its own standard deviation:
    variance (1 + t^2/2) / N. It is that of a number of deals fixed before; of a test that stopped
    by itself, the mean is a bit too far out.
    """
    unit = 800.0 / log(10.0) / sqrt(matches_per_deal)
    t = (evidence.mean - 0.5) / sqrt(evidence.variance)
    error = sqrt((1.0 + t * t / 2.0) / max(evidence.deals, 1))
    return unit * t, unit * Z95 * error


def deals_left(evidence: Evidence, test: Hypotheses) -> float | None:
    """How many deals more the test takes if they come out as those so far; None where neither
    gambler would win anything.

    Of two gamblers whose fortunes grow the one who is there first counts. It is no more than an
    order of magnitude: of simulated tests half ended after a third to three times of this
    number.
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
    """What ln B and ln W gain in a deal, to the second order, if mean and variance stay."""
    s0, s1 = test.scores
    bet = (s1 - s0) / evidence.variance
    gains = []
    for most, ahead in ((s0, evidence.mean - s0), (1.0 - s1, s1 - evidence.mean)):
        stake = min(bet, MOST_AT_STAKE / most)
        gains.append(stake * ahead - stake**2 * (evidence.variance + ahead**2) / 2.0)
    return gains[0], gains[1]


def elo_difference(evidence: Evidence) -> tuple[float, float]:
    """By how much Elo the candidate is better, and half the width of its 95% interval.

    It is the difference that leads to expect the mean score; one even deal is counted in, so that
    it is finite. The interval is the delta method's, and otherwise that of `normalized_elo`.
    """
    # With luck taken out of few deals the mean may be none that a bot could have.
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
    """ln B or -ln W, whichever is closer to its bound; 0 while both have lost."""
    up, down = evidence.better / test.upper, evidence.worse / -test.lower
    if max(up, down) <= 0.0:
        return 0.0
    return evidence.better if up > down and down < 1.0 else -evidence.worse
