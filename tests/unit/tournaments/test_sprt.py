"""The sequential test: where it stops, its verdicts, and that its numbers stay finite."""

import random
from collections.abc import Sequence
from dataclasses import astuple
from math import isfinite, log, sqrt

import pytest

from arena.base.errors import InvalidRequest
from arena.tournaments.ratings.elo import expected
from arena.tournaments.ratings.sprt import (
    Evidence,
    Hypotheses,
    Verdict,
    deals_left,
    judge,
)

STANDARD = Hypotheses(0, 20, 0.05, 0.05)


def decide(
    y_per_deal: Sequence[float],
    elo0: float,
    elo1: float,
    alpha: float = 0.05,
    beta: float = 0.05,
    *,
    matches_per_deal: int = 2,
) -> Verdict:
    """Returns the verdict after these deals in O(deals); see `judge`."""
    test = Hypotheses(elo0, elo1, alpha, beta)
    return judge(Evidence.of(y_per_deal, test), test, matches_per_deal)


def numbers(verdict: Verdict) -> list[float]:
    return [value for value in astuple(verdict) if not isinstance(value, str)]


def states(test: Hypotheses, scores: list[float]) -> list[str]:
    """The state before each of these deals."""
    evidence = Evidence()
    found: list[str] = []
    for y in scores:
        found.append(judge(evidence, test).state)
        evidence = evidence.add(y, test)
    return found


def even_and_uneven(deals: int, better: int, worse: int) -> list[float]:
    return [1.0] * better + [0.0] * worse + [0.5] * (deals - better - worse)


def test_the_bounds_are_villes() -> None:
    verdict = decide([], 0, 20, alpha=0.05, beta=0.1)

    assert verdict.upper == pytest.approx(log(1 / 0.05))
    assert verdict.lower == pytest.approx(log(0.1))


def test_before_the_first_deal_nothing_is_known() -> None:
    verdict = decide([], 0, 20)

    assert (verdict.state, verdict.llr, verdict.mean, verdict.normalized_elo) == (
        "running",
        0,
        0.5,
        0,
    )
    assert all(map(isfinite, numbers(verdict)))


def test_the_ratio_is_the_formula_of_the_docstring() -> None:
    # Given 60 deals, 13 won, 8 lost, the others even
    scores = random.Random(1).sample(even_and_uneven(60, 13, 8), 60)

    # When
    verdict = decide(scores, 0, 20)

    # Later bets depend on earlier deals, with one of variance 1/4 added.
    s0, s1 = 0.5, 1 / (1 + 10 ** (-20 / 400))
    better = worse = 1.0
    for n, y in enumerate(scores):
        before = scores[:n]
        mean = sum(before) / n if n else 0.5
        variance = (sum((each - mean) ** 2 for each in before) + 0.25) / (n + 1)
        bet = (s1 - s0) / variance
        better *= 1 + min(bet, 0.5 / s0) * (y - s0)
        worse *= 1 + min(bet, 0.5 / (1 - s1)) * (s1 - y)
    evidence = Evidence.of(scores, STANDARD)
    assert (evidence.better, evidence.worse) == pytest.approx((log(better), log(worse)))
    assert verdict.llr == (evidence.better if better > worse else -evidence.worse)
    mean = (13 + 39 / 2) / 60
    variance = (sum((y - mean) ** 2 for y in scores) + 0.25) / 61
    elo = 800 / log(10) * (mean - 0.5) / sqrt(variance * 2)
    assert verdict.mean == pytest.approx(mean)
    assert verdict.normalized_elo == pytest.approx(elo)


def likelihood_ratio(evidence: Evidence, test: Hypotheses) -> float:
    """The GSPRT's log-likelihood ratio, in the normal approximation."""
    s0, s1 = test.scores
    variance = evidence.variance * (evidence.deals + 1) / evidence.deals
    return evidence.deals * (s1 - s0) * (2.0 * evidence.mean - s0 - s1) / (2.0 * variance)


def test_statistic_approaches_the_likelihood_ratio_for_many_similar_deals() -> None:
    scores = random.Random(2).sample(even_and_uneven(400, 75, 65), 400)
    evidence = Evidence.of(scores, STANDARD)

    ratio = likelihood_ratio(evidence, STANDARD)

    assert abs(ratio) < 2
    assert evidence.better == pytest.approx(ratio, abs=0.5)
    assert evidence.worse == pytest.approx(-ratio, abs=0.5)


def test_normalized_elo_counts_the_matches_of_a_deal() -> None:
    two, four = (decide([1, 0.5, 0.5, 0.75], 0, 20, matches_per_deal=k) for k in (2, 4))

    assert two.normalized_elo == pytest.approx(four.normalized_elo * sqrt(2))
    assert two.llr == four.llr


@pytest.mark.parametrize(("y", "state"), [(1.0, "accepted"), (0.0, "rejected")])
def test_bot_that_always_wins_or_loses_is_known_after_several_deals(y: float, state: str) -> None:
    assert decide([y], 0, 20).state == "running"
    assert decide([y] * 12, 0, 20).state == state
    assert all(map(isfinite, numbers(decide([y] * 10_000, 0, 20))))


def test_identical_programs_end_as_indistinguishable() -> None:
    assert states(STANDARD, [0.5] * 110) == ["running"] * 104 + ["indistinguishable"] * 6


def test_identical_programs_pass_a_test_of_not_being_worse() -> None:
    """The test rejects that the candidate is 20 Elo worse, but not that it is equal."""
    found = states(Hypotheses(-20, 0), [0.5] * 110)

    assert (found[103], found[-1]) == ("running", "accepted")
    assert states(Hypotheses(-10, 10), [0.5] * 250)[-1] == "indistinguishable"


def test_finer_hypotheses_take_more_even_deals() -> None:
    assert states(Hypotheses(0, 5), [0.5] * 110)[-1] == "running"


def test_deals_that_were_forfeited_bring_no_verdict_nearer() -> None:
    evidence = Evidence()
    for _ in range(50):
        after = evidence.forfeit(STANDARD)
        assert after.better < evidence.better
        assert after.worse < evidence.worse
        assert judge(after, STANDARD).state == "running"
        evidence = after
    assert (evidence.deals, evidence.mean, judge(evidence, STANDARD).llr) == (0, 0.5, 0.0)


def test_a_single_uneven_deal_makes_them_distinguishable() -> None:
    verdict = decide([0.5] * 5_000 + [0.75], 0, 20)

    assert verdict.state == "rejected"


def test_ten_thousand_identical_deals_leave_all_numbers_finite() -> None:
    for y in (0.0, 0.25, 0.5, 1.0):
        assert all(map(isfinite, numbers(decide([y] * 10_000, 0, 20))))


def test_evidence_gathered_deal_by_deal_is_the_evidence_of_all() -> None:
    scores = [random.Random(1).randrange(9) / 8 for _ in range(300)]

    gathered = Evidence()
    for y in scores:
        gathered = gathered.add(y, STANDARD)

    assert gathered == Evidence.of(scores, STANDARD)
    assert judge(gathered, STANDARD) == decide(scores, 0, 20)


def test_candidate_and_baseline_exchanged_mirror_the_verdict() -> None:
    scores = even_and_uneven(400, 90, 50)

    verdict = decide(scores, -20, 20)
    mirrored = decide([1 - y for y in scores], -20, 20)

    assert (verdict.state, mirrored.state) == ("accepted", "rejected")
    assert verdict.llr == pytest.approx(-mirrored.llr)
    assert verdict.normalized_elo == pytest.approx(-mirrored.normalized_elo)


@pytest.mark.parametrize("y", [-0.01, 1.01, float("nan"), float("inf")])
def test_invalid_score_is_rejected(y: float) -> None:
    with pytest.raises(InvalidRequest, match="from 0 to 1"):
        decide([0.5, y], 0, 20)


@pytest.mark.parametrize(
    "asked",
    [
        (20, 20, 0.05, 0.05),
        (20, 0, 0.05, 0.05),
        (float("nan"), 20, 0.05, 0.05),
        (0, float("inf"), 0.05, 0.05),
        (0, 1e6, 0.05, 0.05),
        (0, 20, 0, 0.05),
        (0, 20, 0.05, 0.5),
        (0, 20, 0.05, float("nan")),
    ],
)
def test_a_test_that_says_nothing_is_refused(asked: tuple[float, float, float, float]) -> None:
    with pytest.raises(InvalidRequest):
        decide([0.5], *asked)


@pytest.mark.long
@pytest.mark.parametrize(("elo", "mostly"), [(0, "rejected"), (20, "accepted")])
def test_error_rates_stay_within_limits(elo: float, mostly: str) -> None:
    """400 tests of 5% allowed error: 32 wrong ones are 2.7 standard deviations above 20."""
    chance = random.Random(20)
    mean = 1 / (1 + 10 ** (-elo / 400))

    wrong = 0
    for _ in range(400):
        evidence = Evidence()
        verdict = judge(evidence, STANDARD)
        while verdict.state == "running":
            evidence = evidence.add(sum(chance.random() < mean for _ in range(4)) / 4, STANDARD)
            verdict = judge(evidence, STANDARD)
        wrong += verdict.state != mostly

    assert wrong <= 32


# How long it will take


def test_deals_left_match_a_test_that_continues_as_before() -> None:
    """Deals with the same mean and spread, over and over: it ends where it was said to end."""
    evidence, cycle = Evidence(), [1.0, 1.0, 0.0, 1.0, 0.0]
    for y in cycle * 20:
        evidence = evidence.add(y, STANDARD)
    foreseen = deals_left(evidence, STANDARD)

    more = 0
    while judge(evidence, STANDARD).state == "running":
        evidence, more = evidence.add(cycle[more % 5], STANDARD), more + 1

    assert foreseen is not None
    assert more == pytest.approx(foreseen, rel=0.1)


@pytest.mark.long
@pytest.mark.parametrize("elo", [0, 20, 40])
def test_half_of_all_tests_end_after_a_third_to_three_times_the_estimate(elo: int) -> None:
    chance, off = random.Random(elo), []
    for _ in range(40):
        evidence, told = Evidence(), []
        while judge(evidence, STANDARD).state == "running":
            evidence = evidence.add(float(chance.random() < expected(elo, 0)), STANDARD)
            if evidence.deals in (100, 300, 900):
                told.append((evidence.deals, deals_left(evidence, STANDARD)))
        off += [(evidence.deals - at) / left for at, left in told if left and evidence.deals > at]

    quarters = sorted(off)[len(off) // 4], sorted(off)[3 * len(off) // 4]
    assert 1 / 3 < quarters[0] < 1 < quarters[1] < 3 * 1.2


def test_estimate_is_unknown_if_neither_gambler_would_profit() -> None:
    midway = expected(10, 0)

    assert deals_left(Evidence(1000, 1000 * (midway - 0.5), 250.0), STANDARD) is None
    assert deals_left(Evidence(), STANDARD) is not None
