"""The sequential test under any results and hypotheses."""

from dataclasses import astuple
from math import exp, isfinite, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.ratings.sprt import Evidence, Hypotheses, judge

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
    verdict = judge(Evidence.of(scores, test), test, matches)

    assert all(isfinite(value) for value in astuple(verdict) if not isinstance(value, str))
    assert verdict.lower < 0 < verdict.upper
    assert verdict.plus_minus > 0
    assert 0 <= verdict.mean <= 1


@given(SCORES, hypotheses())
def test_state_follows_from_the_ratio_and_its_bounds(scores: list[float], test: Hypotheses) -> None:
    verdict = judge(Evidence.of(scores, test), test)

    if verdict.state == "accepted":
        assert verdict.llr >= verdict.upper
    elif verdict.state == "rejected":
        assert verdict.llr <= verdict.lower
    elif verdict.state == "indistinguishable":
        assert set(scores) == {0.5}
        assert verdict.llr <= verdict.lower
    else:
        assert verdict.lower < verdict.llr < verdict.upper


@given(SCORES, hypotheses())
def test_no_deal_costs_a_gambler_more_than_half(scores: list[float], test: Hypotheses) -> None:
    before = Evidence.of(scores, test)

    for after in (*(before.add(y, test) for y in (0.0, 0.5, 1.0)), before.forfeit(test)):
        assert after.better >= before.better - log(2) - 1e-9
        assert after.worse >= before.worse - log(2) - 1e-9


@given(SCORES, hypotheses())
def test_the_odds_are_fair(scores: list[float], test: Hypotheses) -> None:
    """A gambler's expected fortune after a deal with the mean of the hypothesis."""
    before = Evidence.of(scores, test)
    won, lost = before.add(1.0, test), before.add(0.0, test)
    s0, s1 = test.scores

    for mean, name in ((s0, "better"), (s1, "worse")):
        had, up, down = (getattr(one, name) for one in (before, won, lost))
        assert mean * exp(up - had) + (1 - mean) * exp(down - had) == pytest.approx(1.0)


@given(SCORES, st.floats(0.5, 200), ERROR)
def test_exchanging_candidate_and_baseline_mirrors_everything(
    scores: list[float], elo: float, error: float
) -> None:
    test = Hypotheses(-elo, elo, error, error)
    mirrored = [1 - y for y in scores]

    seen, turned = (Evidence.of(each, test) for each in (scores, mirrored))
    one, other = judge(seen, test), judge(turned, test)

    assert (seen.better, seen.worse) == pytest.approx((turned.worse, turned.better), abs=1e-6)
    assert one.normalized_elo == pytest.approx(-other.normalized_elo, abs=1e-6)
