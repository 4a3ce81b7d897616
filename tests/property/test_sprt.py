"""The sequential test under any results and hypotheses."""

from __future__ import annotations

from dataclasses import astuple
from math import isfinite
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.rating.sprt import Evidence, Hypotheses, decide, judge

# Scores of deals with up to six matches: wins and ties against one other bot.
SCORES = st.lists(st.integers(0, 12).map(lambda halves: halves / 12), max_size=60)
ELO = st.floats(-500, 500).map(lambda elo: round(elo, 3))
ERROR = st.floats(1e-6, 0.49)


@st.composite
def hypotheses(draw: st.DrawFn) -> Hypotheses:
    elo0 = draw(ELO)
    return Hypotheses(elo0, elo0 + draw(st.floats(0.1, 400)), draw(ERROR), draw(ERROR))


@given(SCORES, hypotheses(), st.integers(2, 6))
def test_all_numbers_are_finite_and_the_bounds_lie_on_either_side_of_zero(
    scores: list[float], test: Hypotheses, matches: int
) -> None:
    verdict = judge(Evidence.of(scores), test, matches)

    assert all(isfinite(value) for value in astuple(verdict) if not isinstance(value, str))
    assert verdict.lower < 0 < verdict.upper
    assert verdict.plus_minus > 0
    assert 0 <= verdict.mean <= 1


@given(SCORES, hypotheses())
def test_the_state_is_what_the_ratio_and_its_bounds_say(
    scores: list[float], test: Hypotheses
) -> None:
    verdict = judge(Evidence.of(scores), test)

    if verdict.state == "accepted":
        assert verdict.llr >= verdict.upper
    elif verdict.state == "rejected":
        assert verdict.llr <= verdict.lower
    elif verdict.state == "indistinguishable":
        assert set(scores) == {0.5}
        assert len(scores) >= test.even_deals
    elif set(scores) - {0.5}:
        assert verdict.lower < verdict.llr < verdict.upper


@given(SCORES, st.randoms())
def test_the_order_of_deals_does_not_matter(scores: list[float], chance: Random) -> None:
    shuffled = chance.sample(scores, len(scores))

    one, other = decide(scores, 0, 20), decide(shuffled, 0, 20)

    assert one.llr == pytest.approx(other.llr, abs=1e-9)
    assert one.normalized_elo == pytest.approx(other.normalized_elo, abs=1e-6)


@given(SCORES, st.floats(0.5, 200), ERROR)
def test_exchanging_candidate_and_baseline_mirrors_everything(
    scores: list[float], elo: float, error: float
) -> None:
    test = Hypotheses(-elo, elo, error, error)
    mirrored = [1 - y for y in scores]

    one, other = judge(Evidence.of(scores), test), judge(Evidence.of(mirrored), test)

    assert one.llr == pytest.approx(-other.llr, abs=1e-6)
    assert one.normalized_elo == pytest.approx(-other.normalized_elo, abs=1e-6)


@given(hypotheses())
def test_even_deals_suffice_to_rule_the_farther_hypothesis_out(test: Hypotheses) -> None:
    farthest = max(abs(score - 0.5) for score in test.scores)
    chance_of_none = (1 - 2 * farthest) ** test.even_deals

    assert test.even_deals >= 1
    assert chance_of_none <= min(test.alpha, test.beta) * (1 + 1e-9)
