"""Short, seeded versions of what `simulate` does at length: the statistics hold."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from arena.base.errors import InvalidRequest
from arena.tournaments.ratings.deal_sums import SeatResults
from arena.tournaments.ratings.sprt import Hypotheses
from tests.lab.commands.simulate import simulate as command
from tests.lab.simulations import coverage, ladder, versus
from tests.lab.simulations.dealer import Dealer
from tests.lab.simulations.tournament import results
from tests.lab.simulations.world import BotPopulation
from tests.tallies import DealTally

pytestmark = pytest.mark.lab


def test_intervals_over_deals_contain_the_truth_as_often_as_they_claim() -> None:
    """Coverage from .93 to .97, when its own standard error of at most .009 is allowed for."""
    tried = coverage.CoverageCase(bots=6, seats=4, cycles=6, shared=True)

    found = coverage.simulate(tried, runs=100, seed=4)

    assert found.deals == 90
    assert found.matches == 360
    assert found.by_deal.error < 0.009
    assert 0.93 - found.by_deal.error < found.by_deal.inside < 0.97 + found.by_deal.error


def test_intervals_over_matches_are_too_wide_where_rotations_save_variance() -> None:
    found = coverage.simulate(
        coverage.CoverageCase(bots=4, seats=2, cycles=10, shared=True), runs=30, seed=2
    )

    assert found.by_match.width > 1.05 * found.by_deal.width


def test_a_ladder_is_tried_with_as_many_matches_as_the_round_robin() -> None:
    tried = coverage.CoverageCase(bots=5, seats=4, cycles=4, format="ladder")

    found = coverage.simulate(tried, runs=4, seed=1)

    assert (
        found.matches == coverage.simulate(coverage.CoverageCase(5, 4, 4), runs=1, seed=1).matches
    )
    assert tried.spec(1).format == "ladder"


def test_the_truth_of_a_large_tournament_is_what_it_rates() -> None:
    """60,000 matches: standard errors of some 3 Elo."""
    tried = coverage.CoverageCase(bots=3, seats=3, cycles=8_000, spread=200)

    found = coverage.simulate(tried, runs=1, seed=3)

    assert found.by_deal.width < 8
    assert found.by_deal.inside == 1.0


def test_the_sequential_test_errs_no_more_often_than_it_may() -> None:
    """30 runs at a true rate of .05: 5 or more errors come in 1.6% of cases."""
    equal = versus.simulate(versus.VersusCase(0.0, shared=True), runs=30, seed=1)
    better = versus.simulate(versus.VersusCase(20.0, shared=True), runs=30, seed=2)

    assert equal.accepted <= 4 / 30
    assert better.rejected <= 4 / 30
    assert equal.undecided == better.undecided == 0
    assert equal.matches == pytest.approx(2 * equal.deals)


@pytest.mark.parametrize("seats", [4, 6])
def test_at_larger_tables_it_errs_no_more_often_either(seats: int) -> None:
    """As above; a deal is two matches at any number of seats."""
    test = Hypotheses(0.0, 40.0)
    equal = versus.simulate(versus.VersusCase(0.0, seats, test, shared=True), runs=30, seed=3)
    better = versus.simulate(versus.VersusCase(40.0, seats, test, shared=True), runs=30, seed=4)

    assert equal.accepted <= 4 / 30
    assert better.rejected <= 4 / 30
    assert better.accepted + better.rejected == 1.0
    assert equal.matches == pytest.approx(2 * equal.deals)


def test_a_test_without_enough_deals_ends_undecided() -> None:
    found = versus.simulate(versus.VersusCase(10.0, max_deals=20, shared=True), runs=5, seed=1)

    assert found.undecided == 1.0
    assert found.deals == 20


def test_the_ladder_tells_neighbours_apart_with_fewer_matches_than_random_pairing() -> None:
    found = ladder.simulate(ladder.LadderCase(bots=8, seats=2, least=40, most=250), runs=8, seed=1)

    assert found.ladder.unfinished == found.random.unfinished == 0
    assert found.high < 1.0


def test_a_race_ends_at_its_limit() -> None:
    tried = ladder.LadderCase(bots=6, seats=2, least=1, most=2, limit=60)

    found = ladder.simulate(tried, runs=2, seed=1)

    assert found.ladder.unfinished == found.random.unfinished == 2
    assert found.ladder.mean == 60


def test_neighbours_in_the_wrong_order_are_not_told_apart() -> None:
    tally = DealTally()
    for _ in range(100):
        tally.add(
            [
                SeatResults((0, 1), (9, 0), (False, False)),
                SeatResults((1, 0), (0, 9), (False, False)),
            ]
        )

    assert ladder.separated(tally, BotPopulation((0.0, 100.0)))
    assert not ladder.separated(tally, BotPopulation((100.0, 0.0)))
    assert not ladder.separated(tally, BotPopulation((0.0, 100.0, 200.0)))


def test_the_same_seed_gives_the_same_numbers() -> None:
    tried = coverage.CoverageCase(bots=4, seats=2, cycles=3)

    assert coverage.simulate(tried, 3, seed=9) == coverage.simulate(tried, 3, seed=9)


def test_truth_is_the_difference_in_strength_but_for_the_rounding() -> None:
    tried = coverage.CoverageCase(bots=5, seats=2, cycles=2)
    deals = coverage.play(tried.spec(1), Dealer(tried.world, np.random.default_rng(1)))
    rated = coverage.rate(results(deal) for deal in deals)

    known = np.array(tried.world.elo)
    assert (
        np.abs(coverage.truth(rated, tried.world) - (known[:, None] - known[None, :])).max() < 1.5
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["coverage", "--runs", "2", "--bots", "3", "--seats", "2", "--cycles", "2"],
        ["coverage", "--runs", "2", "--bots", "3", "--seats", "2", "--format", "ladder"],
        ["coverage", "--runs", "2", "--bots", "3", "--seats", "2", "--luck", "0.3"],
        ["versus", "--runs", "2", "--elo1", "200", "--max-deals", "100"],
        ["ladder", "--runs", "2", "--bots", "3", "--seats", "2", "--least", "150", "--most", "200"],
    ],
)
def test_commands_print_tables_and_json(arguments: list[str]) -> None:
    runner = CliRunner()

    printed = runner.invoke(command, arguments, catch_exceptions=False)
    as_json = runner.invoke(command, [*arguments, "--json"], catch_exceptions=False)

    assert "runs" in printed.output
    assert json.loads(as_json.output)


def test_all_of_it_is_one_command() -> None:
    printed = CliRunner().invoke(command, ["all", "--runs", "1"], catch_exceptions=False)

    assert "runs" in printed.output


def test_what_cannot_be_played_is_said() -> None:
    with pytest.raises(InvalidRequest, match="4 seats, but only 3"):
        coverage.simulate(coverage.CoverageCase(bots=3), runs=1, seed=1)
    with pytest.raises(InvalidRequest, match="Choose elo0 below elo1"):
        CliRunner().invoke(command, ["versus", "--elo0", "30"], catch_exceptions=False)
