"""Lists of the matches that a bot lost, was at fault in, or did worst in."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from sqlalchemy import update

from arena.base.errors import InvalidRequest
from arena.store import Store
from arena.store.matches import matches, narrowed
from arena.store.matches.matches import MatchRow
from arena.store.matches.model import FaultNote, MatchResult
from arena.store.tables import match_seats
from arena.tournaments.ratings.elo import surplus
from tests.made_results import entered, results, save


def listed(store: Store, limit: int = 1000, **wanted: Any) -> list[MatchRow]:
    with store.read() as conn:
        return matches.list_matches(conn, limit=limit, **wanted)[0]


def ids(rows: list[MatchRow]) -> list[str]:
    return [row.id for row in rows]


def place(row: MatchRow, bot: str) -> int:
    return [seat.bot for seat in row.seats].index(bot)


def with_fault(match: MatchResult, seat: int) -> MatchResult:
    """The same, in which one seat forfeited by one fault."""
    note = FaultNote(seat, 3, "timeout", "no answer within 2000 ms", "quit")
    counts = tuple(int(each == seat) for each in range(len(match.points)))
    forfeited = tuple(each == seat for each in range(len(match.points)))
    kept = [(out, held) for out, held in zip(forfeited, match.points, strict=True)]
    ranks = tuple(1 + sum(other < mine for other in kept) for mine in kept)
    return replace(match, faults=counts, forfeited=forfeited, ranks=ranks, notes=(note,))


@pytest.fixture
def played(store: Store) -> list[MatchRow]:
    """Two tournaments; in every seventh match the first seat is at fault."""
    for names in (("ada", "bob", "cyd", "dan", "eve"), ("ada", "bob", "zoe")):
        found = results(entered(store, names=names))
        save(store, [with_fault(m, 0) if m.position % 7 == 0 else m for m in found])
    return listed(store)


@pytest.mark.parametrize("tournament", [None, 1, 2])
@pytest.mark.parametrize("bot", ["ada", "eve"])
def test_the_lost_and_the_faulty_are_found_by_bot_and_tournament(
    store: Store, played: list[MatchRow], bot: str, tournament: int | None
) -> None:
    own = [
        (row.id, row.seats[place(row, bot)])
        for row in played
        if bot in {seat.bot for seat in row.seats} and tournament in (None, row.tournament)
    ]
    lost = [id_ for id_, seat in own if seat.rank > 1 or seat.forfeited]
    faulty = [id_ for id_, seat in own if seat.faults]
    both = [id_ for id_ in lost if id_ in faulty]
    of_both = partial(listed, store, bot=bot, tournament=tournament)

    assert ids(of_both(lost=True)) == lost
    assert ids(of_both(faults=True)) == faulty
    assert ids(of_both(lost=True, faults=True)) == both
    assert bool(both) == (tournament != 2)


def test_pages_of_the_lost_hold_each_once(store: Store, played: list[MatchRow]) -> None:
    found, after = [], ""
    with store.read() as conn:
        while True:
            rows, after = matches.list_matches(conn, "ada", None, 3, after, lost=True)
            found += ids(rows)
            if not after:
                break

    assert found == ids(listed(store, bot="ada", lost=True))
    assert len(found) > 6


@pytest.mark.parametrize("alike", [False, True])
def test_the_worst_matches_are_furthest_below_the_expected_score(
    store: Store, played: list[MatchRow], alike: bool
) -> None:
    """With equal scores, as between bots that are `alike`, points behind the winner decide."""
    if alike:
        with store.write() as conn:
            conn.execute(update(match_seats).values(elo_before=1500.0))

    def below(row: MatchRow) -> tuple[float, int]:
        own, seats = place(row, "ada"), row.seats
        before = [seat.elo_before for seat in seats if seat.elo_before is not None]
        held, out = [seat.points for seat in seats], [seat.forfeited for seat in seats]
        won_with = next(seat.points for seat in seats if seat.rank == 1)
        return surplus(own, before, held, out), won_with - held[own]

    rows = listed(store, bot="ada", worst=True)

    assert ids(rows) == ids(sorted(listed(store, bot="ada"), key=below))
    assert (len({below(row)[0] for row in rows}) < len(rows)) == alike
    assert ids(listed(store, bot="ada", worst=True, limit=4)) == ids(rows[:4])
    assert below(rows[0])[0] < -0.4 < 0 < below(rows[-1])[0]


def test_only_the_latest_matches_are_looked_through_for_the_worst(
    store: Store, played: list[MatchRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(narrowed, "WORST_AMONG", 5)

    found = ids(listed(store, bot="ada", worst=True, lost=True))

    assert sorted(found) == sorted(ids(listed(store, bot="ada", lost=True, limit=5)))


def test_matches_that_are_not_rated_yet_are_none_of_the_worst(store: Store) -> None:
    third, *_ = results(entered(store))[3:]
    save(store, [third])  # rated when those before it are there, too
    (row,) = listed(store)

    assert row.seats[0].elo_before is None
    assert listed(store, bot=row.seats[0].bot, worst=True) == []


@pytest.mark.parametrize("asked", [{"lost": True}, {"opponent": "ada"}, {"worst": True}])
def test_filters_about_a_bot_need_one(store: Store, asked: dict[str, Any]) -> None:
    entered(store)

    with pytest.raises(InvalidRequest, match=f'"{next(iter(asked))}" cannot be used without a bot'):
        listed(store, **asked)


def test_the_worst_are_one_page(store: Store, played: list[MatchRow]) -> None:
    with store.read() as conn:
        rows, following = matches.list_matches(conn, "ada", limit=2, worst=True)
        with pytest.raises(InvalidRequest, match="one page"):
            matches.list_matches(conn, "ada", after=str(rows[0].number), worst=True)

    assert (len(rows), following) == (2, "")
