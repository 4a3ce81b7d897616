"""Invariants of the Elo changes of any match."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.ratings.elo import changes, expected, k_factor

T = TypeVar("T")


@dataclass(frozen=True)
class Table:
    ratings: list[float]
    played: list[int]
    points: list[int]
    forfeited: list[bool]

    def changes(self) -> list[float]:
        return changes(self.ratings, self.played, self.points, self.forfeited)

    def seated(self, order: list[int]) -> Table:
        return Table(
            [self.ratings[seat] for seat in order],
            [self.played[seat] for seat in order],
            [self.points[seat] for seat in order],
            [self.forfeited[seat] for seat in order],
        )


@st.composite
def tables(draw: st.DrawFn, equal_ratings: bool = False, forfeits: bool = True) -> Table:
    seats = draw(st.integers(2, 6))

    def by_seat(values: st.SearchStrategy[T]) -> list[T]:
        return draw(st.lists(values, min_size=seats, max_size=seats))

    rating = st.floats(-500, 4000)
    return Table(
        [draw(rating)] * seats if equal_ratings else by_seat(rating),
        by_seat(st.integers(0, 100_000)),
        by_seat(st.integers(0, 8) | st.integers(0, 80)),
        by_seat(st.booleans()) if forfeits else [False] * seats,
    )


@given(tables())
def test_a_match_conserves_the_sum_of_ratings(table: Table) -> None:
    assert sum(table.changes()) == pytest.approx(0, abs=1e-9)


@given(tables(), st.randoms(use_true_random=False))
def test_order_of_seats_does_not_change_results(table: Table, random: Random) -> None:
    order = list(range(len(table.ratings)))
    random.shuffle(order)
    before = table.changes()
    assert table.seated(order).changes() == [before[seat] for seat in order]


@given(tables(forfeits=False).filter(lambda table: len(table.ratings) == 2))
def test_at_two_seats_it_is_classic_elo(table: Table) -> None:
    (mine, theirs), (my_points, their_points) = table.ratings, table.points
    score = 0.5 if my_points == their_points else float(my_points < their_points)
    k = min(k_factor(games) for games in table.played)
    classic = k * (score - 1 / (1 + 10 ** ((theirs - mine) / 400)))
    assert table.changes() == pytest.approx([classic, -classic], abs=1e-9)


@given(tables(equal_ratings=True), st.integers(0, 80), st.booleans())
def test_full_tie_of_equals_changes_no_rating(table: Table, points: int, forfeited: bool) -> None:
    seats = len(table.ratings)
    tied = Table(table.ratings, table.played, [points] * seats, [forfeited] * seats)
    assert tied.changes() == [0.0] * seats


@given(tables(), st.floats(-2000, 2000))
def test_only_differences_of_ratings_count(table: Table, shift: float) -> None:
    shifted = [rating + shift for rating in table.ratings]
    moved = Table(shifted, table.played, table.points, table.forfeited)
    assert moved.changes() == pytest.approx(table.changes(), abs=1e-9)


@given(tables())
def test_no_bot_moves_by_more_than_its_k(table: Table) -> None:
    for change, games in zip(table.changes(), table.played, strict=True):
        assert abs(change) <= k_factor(games)


@given(tables(), st.integers(1, 80))
def test_a_worse_place_is_never_better(table: Table, more: int) -> None:
    worse = Table(
        table.ratings, table.played, [table.points[0] + more, *table.points[1:]], table.forfeited
    )
    before, after = table.changes()[0], worse.changes()[0]
    overtaken = any(
        table.forfeited[0] == forfeited and table.points[0] <= points <= worse.points[0]
        for points, forfeited in zip(table.points[1:], table.forfeited[1:], strict=True)
    )
    assert after < before if overtaken else after == before


@given(tables(equal_ratings=True, forfeits=False))
def test_reversing_the_places_of_equals_negates_the_changes(table: Table) -> None:
    reverse = Table(
        table.ratings, table.played, [80 - points for points in table.points], table.forfeited
    )
    assert reverse.changes() == pytest.approx([-change for change in table.changes()], abs=1e-12)


@given(tables(forfeits=False), st.integers(0, 80))
def test_a_forfeit_is_the_last_place_whatever_the_points(table: Table, points: int) -> None:
    seats = len(table.ratings)
    one_forfeits = [True] + [False] * (seats - 1)
    forfeit = Table(table.ratings, table.played, [points, *table.points[1:]], one_forfeits)
    last = Table(
        table.ratings, table.played, [max(table.points) + 1, *table.points[1:]], [False] * seats
    )
    assert forfeit.changes() == last.changes()


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_expected_scores_of_two_add_up_to_one(rating: float, other: float) -> None:
    assert expected(rating, other) + expected(other, rating) == pytest.approx(1)
