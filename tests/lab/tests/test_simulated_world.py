"""Simulated bots: results follow the strengths that are claimed, and deals are deals."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from arena.base.errors import InvalidRequest
from arena.tournaments.formats import Played, TournamentSpec, check_spec, format_of
from arena.tournaments.ratings.variance import luck
from tests.lab.simulations.dealer import Dealer, log_stable
from tests.lab.simulations.tournament import blocks, by_deal, generators, names
from tests.lab.simulations.world import NATURAL, BotPopulation
from tests.tallies import grouped_tables, tables_of

pytestmark = pytest.mark.lab

LOGISTIC_STEP = 0.002  # rounding to points moves a score by less


def played(world: BotPopulation, seats: int, deals: int, seed: int = 1) -> list[Played]:
    spec = TournamentSpec(seats=seats, bots=names(len(world.elo)), deals=deals, seed=seed)
    spec = replace(spec, format_options={"deals": "duplicate"})
    found = blocks(
        check_spec(spec), format_of(spec.format), Dealer(world, np.random.default_rng(seed))
    )
    return [one for block in found for one in block.played]


def mean_scores(found: Sequence[Played], bots: int) -> np.ndarray:
    won, met = np.zeros((bots, bots)), np.zeros((bots, bots))
    for one in found:
        points, seats = np.array(one.points), np.array(one.match.seats)
        better = points[:, None] < points[None, :]
        equal = points[:, None] == points[None, :]
        won[np.ix_(seats, seats)] += better + equal / 2
        met[np.ix_(seats, seats)] += 1
    return won / met


def test_expected_scores_are_elos_but_for_the_rounding_to_points() -> None:
    world = BotPopulation((-200.0, -20.0, 0.0, 35.0, 300.0))

    apart = (world.strengths[:, None] - world.strengths[None, :]) / NATURAL
    assert np.abs(world.scores - 1 / (1 + 10 ** (-apart / 400))).max() < LOGISTIC_STEP
    assert np.abs(world.scores + world.scores.T - 1).max() < 1e-12


@pytest.mark.parametrize(("cards", "style"), [(0.0, 0.0), (0.5, 0.05), (0.2, 0.6)])
def test_drawn_results_have_the_expected_scores_whatever_the_luck_is_made_of(
    cards: float, style: float
) -> None:
    """12,000 matches: the standard error of a score is below 0.008."""
    world = BotPopulation((-80.0, 0.0, 100.0), cards, style)

    found = played(world, seats=3, deals=4_000)

    assert np.abs(mean_scores(found, 3) - world.scores).max() < 0.03


def test_luck_of_the_cards_is_what_rotations_save_and_style_what_they_do_not() -> None:
    def ratio(cards: float, style: float) -> float:
        found = by_deal(played(BotPopulation((0.0,) * 3, cards, style), seats=3, deals=2_000))
        known = luck(grouped_tables(tables_of(found))).ratio
        assert known is not None
        return known

    assert ratio(0.0, 0.0) == pytest.approx(1.0, abs=0.1)
    assert ratio(0.8, 0.0) < 0.6
    assert ratio(0.0, 0.5) > 1.4


def test_there_are_ties_and_shared_victories() -> None:
    found = played(BotPopulation((0.0,) * 4), seats=4, deals=200)

    assert any(one.ranks.count(1) > 1 for one in found)
    assert all(min(one.points) >= 0 for one in found)


def test_ranks_count_those_who_are_better() -> None:
    for one in played(BotPopulation((0.0,) * 4), seats=4, deals=20):
        assert one.ranks == tuple(1 + sum(p < mine for p in one.points) for mine in one.points)


def test_the_same_chance_gives_the_same_matches() -> None:
    world = BotPopulation((0.0, 50.0, 100.0))

    assert played(world, 3, 20, seed=4) == played(world, 3, 20, seed=4)
    assert played(world, 3, 20, seed=4) != played(world, 3, 20, seed=5)


@pytest.mark.parametrize("alpha", [0.3, 0.7, 0.95])
def test_a_nested_gumbel_is_a_gumbel(alpha: float) -> None:
    """Mean 0.5772 and variance pi^2/6, with standard errors of 0.003 and 0.012."""
    chance = np.random.default_rng(7)
    size = (400, 500)

    drawn = alpha * (log_stable(chance, alpha, size) - np.log(chance.exponential(size=size)))

    assert drawn.mean() == pytest.approx(np.euler_gamma, abs=0.015)
    assert drawn.var() == pytest.approx(np.pi**2 / 6, abs=0.06)


def test_without_nesting_nothing_is_added() -> None:
    assert not log_stable(np.random.default_rng(1), 1.0, (3, 2)).any()


@pytest.mark.parametrize(("cards", "style"), [(-0.1, 0.0), (0.6, 0.4), (0.0, float("nan"))])
def test_luck_must_leave_something_to_chance(cards: float, style: float) -> None:
    with pytest.raises(InvalidRequest):
        BotPopulation((0.0, 0.0), cards, style)


@pytest.mark.parametrize(("seed", "runs"), [(-1, 5), (1, 0)])
def test_no_runs_are_refused(seed: int, runs: int) -> None:
    with pytest.raises(InvalidRequest):
        generators(seed, runs)
