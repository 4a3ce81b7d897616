"""Versus: a sequential test that stops by itself."""

from __future__ import annotations

from collections import Counter

import pytest

from arena.pairing import FORMATS
from arena.rating.sprt import Evidence, Hypotheses, judge
from tests.played_out import (
    all_even,
    all_forfeit,
    by_number,
    by_strength,
    play_out,
    spec_of,
    with_points,
)

VERSUS = FORMATS["versus"]


def test_a_candidate_that_always_wins_is_accepted_soon() -> None:
    spec = spec_of("versus", 2, 2, 10)

    out = play_out(spec, by_number)

    verdict = VERSUS.verdict(spec, out.so_far)
    assert verdict is not None
    assert verdict.state == "accepted"
    assert verdict.mean == 1.0
    assert len(out.matches) < 100
    assert VERSUS.remarks(spec, out.so_far)[1] == (
        "Accepted, bot-0 is better than bot-1: 20 Elo fits better than 0."
    )


def test_a_candidate_that_always_loses_is_rejected_soon() -> None:
    spec = spec_of("versus", 2, 2, 10)

    out = play_out(spec, by_strength([-9, 9], luck=0))

    verdict = VERSUS.verdict(spec, out.so_far)
    assert verdict is not None
    assert (verdict.state, verdict.mean) == ("rejected", 0.0)
    assert VERSUS.remarks(spec, out.so_far)[1].startswith("Rejected, bot-0 is not better")


@pytest.mark.parametrize("play", [all_even, all_forfeit])
def test_identical_bots_and_bots_that_both_forfeit_end_as_indistinguishable(play) -> None:
    spec = spec_of("versus", 2, 2, 10)

    out = play_out(spec, play)

    verdict = VERSUS.verdict(spec, out.so_far)
    assert verdict is not None
    assert verdict.state == "indistinguishable"
    assert verdict.deals == Hypotheses().even_deals
    assert len(out.matches) == 2 * 10 * -(-verdict.deals // 10)
    assert "indistinguishable: every deal came out even" in VERSUS.remarks(spec, out.so_far)[1]


def test_it_is_undecided_when_the_deals_are_used_up() -> None:
    spec = spec_of("versus", 2, 2, 10, max_deals=25)

    out = play_out(spec, by_strength([0.05, 0], seed=4))

    assert [len(block) for block in out.blocks] == [20, 20, 10]
    verdict = VERSUS.verdict(spec, out.so_far)
    assert verdict is not None
    assert (verdict.state, verdict.deals) == ("running", 25)
    assert VERSUS.remarks(spec, out.so_far)[1] == "Undecided: the deals are used up."


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_the_numbers_are_those_of_the_deals_in_scheduled_order(seats: int) -> None:
    spec = spec_of("versus", max(seats, 2) if seats == 2 else seats + 2, seats, 7, max_deals=200)

    out = play_out(spec, by_strength([0.2] + [0.0] * 9, seed=3))

    score: dict[int, list[float]] = {}
    for one in out.matches:
        mine, other = (one.points[one.match.seats.index(bot)] for bot in (0, 1))
        better = 1.0 if mine < other else 0.5 if mine == other else 0.0
        score.setdefault(one.match.deal, []).append(better)
    test, evidence, state = Hypotheses(), Evidence(), "running"
    for deal in sorted(score):
        if state == "running":
            evidence = evidence.add(sum(score[deal]) / seats)
            state = judge(evidence, test, seats).state
    verdict = VERSUS.verdict(spec, out.so_far)
    assert verdict is not None
    assert (verdict.deals, verdict.state) == (evidence.deals, state)
    assert verdict.llr == pytest.approx(judge(evidence, test, seats).llr)
    assert verdict.mean == pytest.approx(evidence.mean)


def test_the_field_fills_the_tables_evenly() -> None:
    spec = spec_of("versus", 7, 4, 10, max_deals=100, elo0=-1000, elo1=1000, alpha=1e-6, beta=1e-6)

    out = play_out(spec, by_strength([0.0] * 7), most_blocks=10)

    sat = Counter(entrant for one in out.matches for entrant in one.match.seats)
    assert sat[0] == sat[1] == len(out.matches)
    assert max(sat[n] for n in range(2, 7)) - min(sat[n] for n in range(2, 7)) <= 2 * 4


def test_a_forfeit_counts_as_worse_than_any_points() -> None:
    spec = spec_of("versus", 2, 2, 10)

    out = play_out(spec, lambda match: with_points(match, [0, 0], match.seats.index(1)))

    verdict = VERSUS.verdict(spec, out.so_far)
    assert verdict is not None
    assert (verdict.state, verdict.mean) == ("accepted", 1.0)


def test_before_the_first_deal_all_numbers_are_finite() -> None:
    spec = spec_of("versus", 2, 2)

    said = VERSUS.remarks(spec, {})

    assert said[0].startswith("After 0 deals: LLR 0.00 (bounds -2.94 and 2.94), mean score 0.500")
    assert said[1] == "Not decided yet."
