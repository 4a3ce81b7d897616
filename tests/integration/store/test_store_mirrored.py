"""Deals that have more or fewer matches than seats, on both databases: versus, mirrored."""

import random

import pytest
from sqlalchemy import Connection, select

from arena.store import Store, rebuild
from arena.store.matches import matches
from arena.store.projections import deal_sums
from arena.store.reports import variance
from arena.store.save import MatchResult
from arena.store.tables import deal_sums as deal_sums_table
from arena.store.tables import table_sums
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import PlannedMatch, format_of
from arena.tournaments.ratings.bradley_terry import fit
from arena.tournaments.ratings.deal_sums import SeatResults
from arena.tournaments.ratings.variance import luck
from tests.made_results import entered, result, save
from tests.tallies import DealTally, grouped_tables, tables_of

NAMES = ("newer", "old", "cyd", "dan", "eve", "fay")
VERSUS = format_of("versus")


def block_of(tournament: Tournament, number: int = 0, so_far: object = None) -> list[PlannedMatch]:
    return list(VERSUS.block(tournament.spec, number, so_far or {}))  # type: ignore[arg-type]


def played(tournament: Tournament, block: list[PlannedMatch], luck: int = 1) -> list[MatchResult]:
    """Synthetic results, in which each seat of a deal has its luck."""
    chance = random.Random(luck)
    cards = {match.deal: [chance.randrange(30) for _ in match.seats] for match in block}
    return [
        result(tournament, match, [card + chance.randrange(20) for card in cards[match.deal]])
        for match in block
    ]


def by_deal(found: list[MatchResult]) -> list[list[SeatResults]]:
    tables: dict[int, list[SeatResults]] = {}
    for one in found:
        tables.setdefault(one.deal, []).append(SeatResults(one.players, one.points, one.forfeited))
    return list(tables.values())


def raw(conn: Connection) -> list[tuple[object, ...]]:
    """Every byte of all sums, in one order."""
    one, other = deal_sums_table.c, table_sums.c
    rows = [
        *conn.execute(
            select(deal_sums_table).order_by(one.game, one.seats, one.size, one.composition)
        ),
        *conn.execute(select(table_sums).order_by(other.tournament, other.seated)),
    ]
    return [tuple(line) for line in rows]


@pytest.mark.parametrize("seats", [3, 4, 6])
def test_a_deal_counts_and_is_open_once_both_mirror_images_are_stored(
    store: Store, seats: int
) -> None:
    versus = entered(store, NAMES, format="versus", seats=seats, deals=8)
    found = played(versus, block_of(versus))
    first, second = [one for one in found if one.deal == 3]

    save(store, [first])
    with store.read() as conn:
        assert deal_sums.groups(conn, "lama") == []
        assert [row.locked for row in matches.list_matches(conn)[0]] == [True]
        assert matches.get_match(conn, first.id).locked
    save(store, [second])

    with store.read() as conn:
        (group,) = deal_sums.groups(conn, "lama")
        assert (group.deals.tolist(), group.seats, (group.meetings == 2).all()) == (
            [1],
            seats,
            True,
        )
        assert [row.locked for row in matches.list_matches(conn)[0]] == [False, False]


@pytest.mark.parametrize("chunk", [1, 3, 40])
def test_any_order_and_any_rebuild_gives_the_same_to_the_bit(store: Store, chunk: int) -> None:
    versus = entered(store, NAMES, format="versus", seats=4, deals=9)
    league = entered(store, NAMES[:5], seats=4, deals=1)
    rotated = list(format_of("round-robin").block(league.spec, 0))
    found = played(versus, block_of(versus)) + played(league, rotated, 2)
    random.Random(chunk).shuffle(found)

    for start in range(0, len(found), chunk):
        save(store, found[start : start + chunk])
        save(store, found[max(0, start - 2) : start])  # once more: nothing changes

    with store.write() as conn:
        incremental = raw(conn)
        assert rebuild.compare(conn, "lama").differences == ()
        assert rebuild.rebuild(conn, "lama").deals == 9 + 5
        assert raw(conn) == incremental
        rated = fit(deal_sums.groups(conn, "lama"))
    tally = DealTally()
    for tournament in (versus, league):
        for deal in by_deal([one for one in found if one.tournament == tournament.id]):
            tally.add(deal)
    in_memory = fit(tally.groups())
    assert rated.total == 14
    assert rated.ratings.tolist() == in_memory.ratings.tolist()
    assert rated.covariance.tolist() == in_memory.covariance.tolist()


def test_the_variance_saved_counts_the_two_bots_that_change_seats(store: Store) -> None:
    versus = entered(store, NAMES[:4], format="versus", seats=4, deals=30)
    found = played(versus, block_of(versus))

    save(store, found)

    sums = tables_of(by_deal(found))
    with store.read() as conn:
        known = variance.luck(conn, versus.id)
    assert known == luck(grouped_tables(sums, versus.players[2:]))
    assert known.matches == 60
    assert known.saved is not None
    everybody = luck(grouped_tables(sums)).saved
    assert everybody is not None
    assert known.saved > everybody + 0.1, "matches in one seat resemble each other"


# What was there before
