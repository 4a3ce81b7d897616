"""Is the candidate better than the baseline? A sequential test over deals that stops by itself.

Every deal gives one number y from 0 to 1: the candidate's mean score against the baseline over
all matches of the deal (1 for more often ahead than not at every table, 1/2 for even). With s0
and s1 the scores that the Elo differences of the two hypotheses lead to expect, N deals of mean
m and variance s^2 have the log-likelihood ratio

    LLR = N (s1 - s0) (2 m - s0 - s1) / (2 s^2)          generalized SPRT, normal approximation

    accept H1 (the candidate is elo1 better)     at LLR >= ln((1 - beta) / alpha)
    accept H0 (it is only elo0 better)           at LLR <= ln(beta / (1 - alpha))

Matches of one deal are correlated, so the deal is the unit and its spread is measured, not
assumed. Source: the generalized SPRT of chess engine testing (fishtest's mathematics page;
Van den Bergh, "A practical introduction to the GSPRT").

The variance has a floor: one deal of variance 1/4, the greatest that a score can have, is
counted in. It keeps the ratio finite where all deals were equal, keeps the first few deals from
deciding by chance, and weighs nothing later on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isfinite, log, log1p, sqrt
from typing import Literal

from arena.errors import InvalidRequest
from arena.rating.elo import expected

State = Literal["running", "accepted", "rejected", "indistinguishable"]

GREATEST_VARIANCE = 0.25
NORMAL_95 = 1.959963984540054
MOST_ELO = 1000.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the test needs to know of any number of deals, so that none has to be kept.

    `total` and `squares` are the sums of y - 1/2 and of its square: y is a fraction with a small
    denominator, and even deals add exact zeros.
    """

    deals: int = 0
    total: float = 0.0
    squares: float = 0.0

    @classmethod
    def of(cls, y_per_deal: Sequence[float]) -> Evidence:
        """The evidence of deals in the order they are given. Raises InvalidRequest for a y that
        is no score."""
        evidence = cls()
        for y in y_per_deal:
            evidence = evidence.add(y)
        return evidence

    def add(self, y: float) -> Evidence:
        """With one deal more. Raises InvalidRequest for a y outside 0 to 1."""
        if not 0.0 <= y <= 1.0:
            raise InvalidRequest(f"A deal's score is from 0 to 1, not {y}.")
        off = y - 0.5
        return Evidence(self.deals + 1, self.total + off, self.squares + off * off)

    @property
    def mean(self) -> float:
        """The candidate's mean score, 1/2 before the first deal."""
        return 0.5 + self.total / self.deals if self.deals else 0.5

    @property
    def variance(self) -> float:
        """Variance of y between deals, its floor included: positive always."""
        spread = self.squares - self.total**2 / self.deals if self.deals else 0.0
        return (max(spread, 0.0) + GREATEST_VARIANCE) / max(self.deals, 1)


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """What is tested: Elo differences candidate minus baseline, and the errors allowed.

    `alpha` is how often a candidate that is only elo0 better may be accepted, `beta` how often
    one that is elo1 better may be rejected.
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
        """The log-likelihood ratio at which H0 is accepted; negative."""
        return log(self.beta / (1.0 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which H1 is accepted; positive."""
        return log((1.0 - self.beta) / self.alpha)

    @property
    def scores(self) -> tuple[float, float]:
        """The mean scores, from 0 to 1, that H0 and H1 lead to expect."""
        return expected(self.elo0, 0.0), expected(self.elo1, 0.0)

    @property
    def even_deals(self) -> int:
        """After how many deals, every one of them even, the two are called indistinguishable.

        The hypothesis that lies farther from equality has a mean score q/2 away from 1/2, so at
        least a share q of its deals is uneven. That none in n was has a probability of at most
        (1 - q)^n; n is the least for which this is no more than beta or alpha, whichever is
        smaller. 51 deals for [0, 20] at .05.
        """
        farthest = max(abs(score - 0.5) for score in self.scores)
        return ceil(log(min(self.alpha, self.beta)) / log1p(-2.0 * farthest))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Where a test stands. All numbers are finite, also before the first deal.

    state            running; accepted (H1); rejected (H0); or indistinguishable: every deal was
                     even, as with twice the same deterministic program
    llr              log-likelihood ratio; the test ends at `lower` or `upper`
    mean             the candidate's mean score against the baseline, 0 to 1
    normalized_elo   Elo in units of the spread of one match (800/ln 10 times mean - 1/2 in
                     standard deviations), which is comparable between games of different luck
    plus_minus       half the width of its 95 % interval
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
    """The verdict after these deals; see `judge`. Costs O(deals)."""
    return judge(Evidence.of(y_per_deal), Hypotheses(elo0, elo1, alpha, beta), matches_per_deal)


def judge(evidence: Evidence, test: Hypotheses, matches_per_deal: int = 2) -> Verdict:
    """The verdict on what was seen. `matches_per_deal` is used for normalized Elo alone.

    The first verdict that is not "running" stands: whoever looks deal by deal or block by block
    stops there. While every deal was even the test goes on until `even_deals`, so that identical
    programs are not reported as a candidate that failed.
    """
    llr = log_likelihood_ratio(evidence, test)
    elo, plus_minus = normalized_elo(evidence, matches_per_deal)
    state = _state(evidence, test, llr)
    return Verdict(
        state, llr, test.lower, test.upper, evidence.deals, evidence.mean, elo, plus_minus
    )


def log_likelihood_ratio(evidence: Evidence, test: Hypotheses) -> float:
    """ln of how much likelier the deals are under H1 than under H0; 0 before the first."""
    s0, s1 = test.scores
    gap = (s1 - s0) * (2.0 * evidence.mean - s0 - s1)
    return evidence.deals * gap / (2.0 * evidence.variance) + 0.0  # never -0.0


def normalized_elo(evidence: Evidence, matches_per_deal: int) -> tuple[float, float]:
    """Normalized Elo and half the width of its 95 % interval.

    The spread of one match is taken as that of a deal times the square root of its matches. The
    interval is the delta method's for a mean in units of its own standard deviation:
    variance (1 + t^2/2) / N.
    """
    unit = 800.0 / log(10.0) / sqrt(matches_per_deal)
    t = (evidence.mean - 0.5) / sqrt(evidence.variance)
    error = sqrt((1.0 + t * t / 2.0) / max(evidence.deals, 1))
    return unit * t, unit * NORMAL_95 * error


def _state(evidence: Evidence, test: Hypotheses, llr: float) -> State:
    if evidence.squares == 0.0:
        return "indistinguishable" if evidence.deals >= test.even_deals else "running"
    if llr >= test.upper:
        return "accepted"
    return "rejected" if llr <= test.lower else "running"
