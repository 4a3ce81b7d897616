"""The sums over deals: counted as deals complete, and the same as when all are counted again."""

import random
from dataclasses import replace

import pytest
from sqlalchemy import Connection, select, update

from arena.store import Store
from arena.store.projections import deal_sums
from arena.store.projections.deal_sums import DealSumsProjection
from arena.store.save import MatchResult
from arena.store.tables import deal_sums as deal_sums_table
from arena.store.tables import match_seats
from arena.tournaments.ratings.bradley_terry import fit
from arena.tournaments.ratings.deal_sums import SeatResults
from tests.made_results import entered, results, save
from tests.tallies import DealTally


def raw(conn: Connection) -> list[tuple[object, ...]]:
    """Every byte of the sums, in one order."""
    row = deal_sums_table.c
    query = select(deal_sums_table).order_by(row.game, row.seats, row.size, row.composition)
    return [tuple(line) for line in conn.execute(query)]


def deals(conn: Connection) -> int:
    return int(sum(group.deals.sum() for group in deal_sums.groups(conn, "lama")))


def counted_in_memory(played: list[MatchResult]) -> DealTally:
    tally = DealTally()
    by_deal: dict[tuple[int, int], list[MatchResult]] = {}
    for result in played:
        by_deal.setdefault((result.tournament, result.deal), []).append(result)
    for found in by_deal.values():
        tally.add([SeatResults(r.players, r.points, r.forfeited) for r in found])
    return tally


def test_the_sums_are_those_of_the_deals_played(store: Store) -> None:
    played = results(entered(store))

    save(store, played)

    with store.read() as conn:
        (stored,), (counted,) = deal_sums.groups(conn, "lama"), counted_in_memory(played).groups()
        for name in ("players", "meetings", "deals", "values"):
            assert getattr(stored, name).tolist() == getattr(counted, name).tolist()
        assert deal_sums.groups(conn, "dice") == []


@pytest.mark.parametrize("chunk", [1, 7, 60])
def test_any_order_and_any_rebuild_gives_the_same_to_the_bit(store: Store, chunk: int) -> None:
    names = ("ada", "bob", "cyd", "dan")
    three, two = entered(store, names, deals=3), entered(store, names, seats=2)
    played = results(three, 1) + results(two, 2)
    odd = replace(played[5], forfeited=(True, False, False))
    played[5] = odd
    random.Random(chunk).shuffle(played)

    for start in range(0, len(played), chunk):
        save(store, played[start : start + chunk])
        save(store, played[max(0, start - 3) : start])  # once more: nothing changes

    with store.write() as conn:
        incremental = raw(conn)
        tables = [fit(deal_sums.groups(conn, "lama", seats)) for seats in (0, 2, 3)]
        DealSumsProjection().rebuild(conn, "lama")
        assert deals(conn) == len(played) - 12 * 2 - 12
        assert raw(conn) == incremental
    assert incremental
    in_order = fit(counted_in_memory(sorted(played, key=lambda r: r.id)).groups())
    assert tables[0].ratings.tolist() == in_order.ratings.tolist()
    assert tables[0].covariance.tolist() == in_order.covariance.tolist()
    assert sum(table.total for table in tables[1:]) == tables[0].total == 24


def test_a_deal_counts_once_all_its_rotations_are_stored(store: Store) -> None:
    played = results(entered(store))
    one_deal = [result for result in played if result.deal == 4]

    for early in one_deal[:2]:
        save(store, [early])
        with store.read() as conn:
            assert deals(conn) == 0
            assert deal_sums.version(conn, "lama") == 0
    save(store, one_deal[2:])

    with store.read() as conn:
        assert deals(conn) == 1
        assert deal_sums.version(conn, "lama") != 0


def test_the_same_numbers_of_two_tournaments_are_different_deals(store: Store) -> None:
    for _ in range(2):
        save(store, results(entered(store)))

    with store.read() as conn:
        assert deals(conn) == 40


def test_a_comparison_finds_tampered_sums(store: Store) -> None:
    save(store, results(entered(store)))
    with store.write() as conn:
        conn.execute(update(match_seats).where(match_seats.c.seat == 1).values(points=99))

        assert list(DealSumsProjection().differences(conn, "lama"))
