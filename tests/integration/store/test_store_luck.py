"""Variance saved by rotations in a tournament, updated with its results, on both databases."""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import pytest
from sqlalchemy import update

from arena.store import Store, rebuild
from arena.store.cache import forget_all
from arena.store.projections.table_sums import TableSumsProjection
from arena.store.reports import variance
from arena.store.save import MatchResult
from arena.store.tables import table_sums as table_sums_table
from arena.tournaments.ratings.deal_sums import SeatResults
from arena.tournaments.ratings.variance import Luck
from arena.tournaments.ratings.variance import luck as luck_of
from tests.made_results import entered, results, save
from tests.tallies import grouped_tables, tables_of


def in_memory(played: Sequence[MatchResult]) -> Luck:
    deals: dict[int, list[SeatResults]] = defaultdict(list)
    for match in played:
        deals[match.deal].append(SeatResults(match.players, match.points, match.forfeited))
    return luck_of(grouped_tables(tables_of(deals.values())))


def known(store: Store, tournament: int) -> Luck:
    with store.read() as conn:
        return variance.luck(conn, tournament)


def test_sums_do_not_depend_on_the_order_of_storing(store: Store) -> None:
    tournament = entered(store, deals=4)
    played = results(tournament)
    shuffled = random.Random(3).sample(played, len(played))

    for first in range(0, len(shuffled), 7):
        save(store, shuffled[first : first + 7])

    assert known(store, tournament.id) == in_memory(played)
    assert known(store, tournament.id).deals == 40
    assert known(store, tournament.id).matches == 120


def test_a_result_that_is_stored_twice_counts_once(store: Store) -> None:
    tournament = entered(store, deals=2)
    played = results(tournament)
    save(store, played)

    save(store, played)

    assert known(store, tournament.id) == in_memory(played)


def test_a_deal_that_lacks_a_rotation_does_not_count(store: Store) -> None:
    tournament = entered(store, ("ann", "bob"), seats=2, deals=3)
    played = results(tournament)

    save(store, played[:-1])

    assert known(store, tournament.id).matches == 4


def test_before_the_first_match_nothing_is_known(store: Store) -> None:
    assert known(store, entered(store).id) == Luck()


def test_tournaments_are_kept_apart(store: Store) -> None:
    one, other = entered(store), entered(store, repeats=8)
    played = results(one, luck=4), results(other, luck=5)

    for matches in played:
        save(store, matches)

    assert [known(store, t.id) for t in (one, other)] == [in_memory(found) for found in played]


def test_counted_again_it_is_the_same_to_the_bit(store: Store) -> None:
    tournament = entered(store)
    save(store, results(tournament)[:-2])
    before = known(store, tournament.id)

    with store.write() as conn:
        projection = TableSumsProjection()
        projection.rebuild(conn, "lama")
        assert not list(projection.differences(conn, "lama"))
    forget_all()

    assert known(store, tournament.id) == before


def test_sums_that_do_not_follow_from_the_matches_are_found_and_mended(store: Store) -> None:
    tournament = entered(store)
    save(store, results(tournament))
    with store.write() as conn:
        conn.execute(update(table_sums_table).values(deals=table_sums_table.c.deals + 1))

        (difference,) = rebuild.compare(conn, "lama").differences
        rebuild.rebuild(conn, "lama")

        assert difference == "the sums of 10 tables of tournaments differ"
        assert rebuild.compare(conn, "lama").differences == ()


def test_where_all_forfeit_numbers_stay_finite(store: Store) -> None:
    tournament = entered(store, ("ann", "bob"), seats=2, deals=4)
    save(store, [replace(match, forfeited=(True, True)) for match in results(tournament)])

    ratio = known(store, tournament.id).ratio
    assert ratio is not None
    assert 0 <= ratio <= 2


@pytest.mark.parametrize("seats", [2, 6])
def test_every_number_of_seats_comes_back_as_it_was_stored(store: Store, seats: int) -> None:
    names = [f"bot{number}" for number in range(6)]
    tournament = entered(store, names, seats=seats, deals=2)
    played = results(tournament)

    save(store, played)

    assert known(store, tournament.id) == in_memory(played)
    assert len(known(store, tournament.id).mean_points) == seats
