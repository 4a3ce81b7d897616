"""Variance saved by rotations: known cases, and comparisons with independent matches."""

import random
from collections.abc import Iterable
from math import sqrt
from statistics import fmean, variance

import pytest

from arena.tournaments.ratings.deal_sums import SeatResults
from arena.tournaments.ratings.variance import (
    Luck,
    TableGroup,
    luck,
    summarise,
)
from tests.tallies import grouped_tables, tables_of


def match(players: tuple[int, ...], *points: int) -> SeatResults:
    return SeatResults(players, points, (False,) * len(points))


def counted(deals: Iterable[list[SeatResults]]) -> list[TableGroup]:
    return grouped_tables(tables_of(deals))


def independent(deals: int, seed: int) -> list[list[SeatResults]]:
    chance = random.Random(seed)
    turns = [(1, 2, 3), (2, 3, 1), (3, 1, 2)]
    return [
        [match(turn, *(chance.randrange(9) for _ in turn)) for turn in turns] for _ in range(deals)
    ]


def test_without_a_deal_nothing_is_known() -> None:
    assert luck([]) == Luck(deals=0, ratio=None, mean_points=(), matches=0)
    assert luck([]).saved is None


def test_one_deal_gives_points_by_seat_but_no_savings() -> None:
    known = luck(counted([[match((1, 2), 3, 7), match((2, 1), 5, 8)]]))

    assert known == Luck(deals=0, ratio=None, mean_points=(4.0, 7.5), matches=2, shared=True)


def test_when_the_first_seat_always_wins_rotations_save_everything() -> None:
    known = luck(counted([[match((1, 2), 0, 9), match((2, 1), 0, 9)]] * 3))

    assert known.deals == 3
    assert known.saved == 1.0
    assert known.mean_points == (0.0, 9.0)


def test_when_a_deal_always_has_one_winner_rotations_cost_all_but_one_match() -> None:
    # Given: the winner of a deal wins it from each of its two seats
    one, other = (
        [match((1, 2), *a), match((2, 1), *b)] for a, b in (((0, 9), (9, 0)), ((9, 0), (0, 9)))
    )

    known = luck(counted([one, other] * 500))

    # Then a deal of two matches is worth one: each match has twice the variance
    assert known.ratio == pytest.approx(2.0, abs=0.01)


def test_the_formula_on_a_table_of_three_done_by_hand() -> None:
    deals = independent(40, seed=5)

    known = luck(counted(deals))

    here, alone = [], []
    for bot in (1, 2, 3):
        scores = [[_score(table, bot) for table in deal] for deal in deals]
        between = variance(map(fmean, scores))
        within = fmean(map(variance, scores))
        here.append(3 * between)
        alone.append(between + within * 2 / 3)
    assert known.ratio is not None
    assert known.ratio == pytest.approx(fmean(here) / fmean(alone))
    # Three bots tell as much as one and a half. Of each, 39 deals differ and 2 of 3 matches in 40.
    freedom = 2 / (1.5 * 39) + 2 / (1.5 * 40 * 2)
    error = known.ratio * (1 - known.ratio / 3) * sqrt(freedom)
    assert known.error == pytest.approx(error)
    alone_once = [[match((4, 5, 6), 1, 2, 3), match((5, 6, 4), 4, 2, 3), match((6, 4, 5), 1, 2, 9)]]
    assert luck(counted([*deals, *alone_once])).error == known.error, "one deal tells no variance"


def _score(table: SeatResults, bot: int) -> float:
    mine = table.points[table.players.index(bot)]
    return (sum((mine < other) + (mine == other) / 2 for other in table.points) - 0.5) / 2


def test_independent_matches_save_nothing() -> None:
    """Standard deviation of the ratio over 2,000 deals: about 0.02."""
    assert luck(counted(independent(2_000, seed=3))).ratio == pytest.approx(1.0, abs=0.08)


def test_stronger_opponents_at_another_table_are_not_taken_for_luck() -> None:
    # Given a bot that beats all at one table and loses to all at the other, always
    beaten = [match((1, 2), 0, 9), match((2, 1), 9, 0)]
    beats = [match((1, 3), 9, 0), match((3, 1), 0, 9)]

    # Then no deal of a table differs from another: nothing varies
    assert luck(counted([beaten, beats] * 10)).ratio is None


def test_ten_thousand_identical_results_say_that_nothing_varied() -> None:
    known = luck(counted([[match((1, 2), 4, 4), match((2, 1), 4, 4)]] * 10_000))

    assert known.ratio is None
    assert known.mean_points == (4.0, 4.0)


def test_a_forfeit_ranks_last_whatever_the_points() -> None:
    def forfeits(*players: int) -> SeatResults:
        return SeatResults(players, (0, 9), (players[0] == 1, players[1] == 1))

    seated, sums = summarise([forfeits(1, 2), forfeits(2, 1)])

    assert seated == ((1, 2), (2, 2))
    assert sums.halves == (0, 4)


def test_the_order_of_deals_and_matches_does_not_matter() -> None:
    deals = independent(30, seed=8)
    shuffled = [random.Random(1).sample(deal, 3) for deal in random.Random(2).sample(deals, 30)]

    assert luck(counted(deals)) == luck(counted(shuffled))


def test_a_deal_without_matches_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one match"):
        summarise([])
