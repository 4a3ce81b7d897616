"""Versus with the luck of matches taken out of the scores it tests."""

from dataclasses import replace

import numpy as np
import pytest

from arena.tournaments.formats import PlannedMatch, Played, TournamentSpec, check_spec, format_of
from arena.tournaments.formats.versus import Versus
from arena.tournaments.formats.versus_evidence import Known
from arena.tournaments.ratings.match_luck import GAME, MOST
from arena.tournaments.ratings.sprt import Evidence, Hypotheses, elo_difference, judge


def versus(**asked: object) -> tuple[Versus, TournamentSpec]:
    spec = check_spec(
        TournamentSpec(format="versus", seats=2, bots=("new", "old"), matches=4, **asked)  # type: ignore[arg-type]
    )
    format_ = format_of("versus")
    assert isinstance(format_, Versus)
    return format_, spec


def played(seats: tuple[int, ...], points: tuple[int, ...], *luck: int) -> Played:
    ranks = tuple(1 + sum(other < own for other in points) for own in points)
    return Played(PlannedMatch(0, 0, seats), points, ranks, (False,) * len(points), luck)


def test_lead_is_adjusted_for_the_candidate_s_luck_in_any_seat() -> None:
    test = Hypotheses()

    first = Known(1).with_deal([played((0, 1), (3, 5), GAME // 4)], test)
    second = Known(1).with_deal([played((1, 0), (5, 3), -GAME // 4)], test)

    # Won, with a quarter of a game of luck: a score of 3/4.
    assert first.evidence.mean == second.evidence.mean == 0.75
    assert first.lucky == 1


def test_at_larger_tables_the_luck_of_the_pair_counts() -> None:
    known = Known(1).with_deal([played((2, 1, 0), (9, 5, 3), 0, 0, -GAME // 8)], Hypotheses())

    assert known.evidence.mean == 0.875


def test_test_without_luck_is_bit_identical() -> None:
    deals = [[played((0, 1), (3, 5))], [played((1, 0), (3, 3))], [played((0, 1), (8, 5))]]
    test, known, evidence = Hypotheses(), Known(1), Evidence()

    for deal, y in zip(deals, (1.0, 0.5, 0.0), strict=True):
        known, evidence = known.with_deal(deal, test), evidence.add(y, test)

    assert known.evidence == evidence
    assert "lucky" not in known.stored()


def test_luck_is_asked_for_where_each_match_has_a_deal_and_the_tournament_is_not_raw() -> None:
    format_, spec = versus()

    assert format_.takes_luck_out(spec)
    assert not format_.takes_luck_out(replace(spec, luck="raw"))
    shared = replace(spec, format_options={**spec.format_options, "deals": "duplicate"})
    assert not format_.takes_luck_out(shared)


def test_it_says_that_luck_is_taken_out() -> None:
    format_, spec = versus()
    block = format_.block(spec, 0)
    so_far = format_.fold(
        spec, {}, [Played(m, (3, 5), (1, 2), (False, False), (GAME // 8,)) for m in block]
    )

    assert "4 of the scores are luck-adjusted." in format_.remarks(spec, so_far)[0]


@pytest.mark.parametrize("y", [-2.0, 3.0])
def test_no_score_that_luck_can_lead_to_ruins_a_gambler(y: float) -> None:
    evidence = Evidence()
    for _ in range(20):
        evidence = evidence.add(y, Hypotheses(), MOST / GAME)

    assert np.isfinite([evidence.better, evidence.worse]).all()
    assert np.isfinite(elo_difference(evidence)).all()


def ends(mean: float, runs: int, seed: int, most: int = 6000) -> list[str]:
    """Where tests end whose scores scatter far beyond 0 and 1 around this mean."""
    chance = np.random.default_rng(seed)
    test = Hypotheses(0, 40, 0.05, 0.05)
    states = []
    for _ in range(runs):
        evidence, state = Evidence(), "running"
        won = chance.random(most) < 0.5
        # A luck model that is much too sure of itself, and its mean is right.
        luck = np.where(chance.random(most) < 0.5, 0.6, -0.6)
        for y in (np.where(won, 1.0, 0.0) - luck + (mean - 0.5)).tolist():
            evidence = evidence.add(y, test, MOST / GAME)
            state = judge(evidence, test).state
            if state != "running":
                break
        states.append(state)
    return states


@pytest.mark.long
def test_errors_are_as_rare_as_it_says_however_far_scores_scatter() -> None:
    runs = 100
    at_even = ends(0.5, runs, 4).count("accepted") / runs
    better = Hypotheses(0, 40).scores[1]
    at_better = ends(better, runs, 5)

    assert at_even < 0.05 + 2.5 * (0.05 * 0.95 / runs) ** 0.5
    assert at_better.count("rejected") / runs < 0.05 + 2.5 * (0.05 * 0.95 / runs) ** 0.5
    assert at_better.count("accepted") / runs > 0.8
