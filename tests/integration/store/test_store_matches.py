"""Listing, showing, locking and exporting matches, and the faults in them."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import insert

from arena.base.errors import InvalidRequest, NotFound
from arena.games.match import MatchSetup, Seat
from arena.store import Store
from arena.store.matches import matches
from arena.store.registry import bots
from arena.store.reports import faults
from arena.store.save import FaultNote
from arena.store.tables import players
from arena.store.tournaments import tournaments
from tests.made_results import NAMES, entered, result, results, save, schedule

NOTES = (
    FaultNote(0, 4, "timeout", "no answer within 2000 ms", "quit"),
    FaultNote(2, 9, "illegal", "'play 9' is not an action of L.A.M.A.", "quit"),
)


def pages(store: Store, limit: int, **wanted: Any) -> list[list[matches.MatchRow]]:
    """All pages of a list, walked to the end."""
    found, after = [], ""
    with store.read() as conn:
        while True:
            rows, after = matches.list_matches(conn, limit=limit, after=after, **wanted)
            found.append(rows)
            if not after:
                return found


def test_a_match_is_shown_with_all_that_was_stored(store: Store) -> None:
    tournament = entered(store, fault_limit=5)
    planned = schedule(tournament)[0]
    stored = replace(
        result(tournament, planned, [7, 42, 7]), faults=(1, 0, 1), notes=NOTES, log=b"\x00\xff"
    )
    save(store, [stored])

    with store.read() as conn:
        found = matches.get_match(conn, stored.id)

    for name in ("id", "tournament", "batch", "position", "deal", "game", "ruleset", "options"):
        assert getattr(found, name) == getattr(stored, name)
    for name in ("seed", "log", "started", "finished", "notes"):
        assert getattr(found, name) == getattr(stored, name)
    for name in ("points", "faults", "forfeited"):
        assert tuple(getattr(seat, name) for seat in found.seats) == getattr(stored, name)
    assert tuple(seat.player for seat in found.seats) == stored.players
    assert [seat.rank for seat in found.seats] == [1, 3, 1]
    assert [seat.bot for seat in found.seats] == [NAMES[entrant] for entrant in planned.seats]
    assert {seat.version for seat in found.seats} == {"1"}
    assert found.rated_seq == 1


def test_a_match_is_replayed_from_its_setup(store: Store) -> None:
    tournament = entered(store, fault_limit=5, options={"max_rounds": "3"})
    planned = schedule(tournament)[0]
    stored = result(tournament, planned, [7, 42, 7])
    save(store, [stored])

    with store.read() as conn:
        setup = matches.get_match(conn, stored.id).setup

    seats = tuple(Seat(NAMES[entrant], "1") for entrant in planned.seats)
    options, ruleset = {"max_rounds": "3"}, stored.ruleset
    assert setup == MatchSetup(stored.id, "lama", stored.seed, seats, options, 5, ruleset)


def test_a_match_that_does_not_exist(store: Store) -> None:
    with store.read() as conn, pytest.raises(NotFound, match='no match "nothing"'):
        matches.get_match(conn, "nothing")


@pytest.mark.parametrize("limit", [1, 7, 59, 60, 61, 1000])
def test_pages_hold_every_match_once_newest_first(store: Store, limit: int) -> None:
    played = results(entered(store))
    for start in range(0, 60, 20):
        save(store, played[start : start + 20])

    found = pages(store, limit)

    assert [row.id for page in found for row in page] == [match.id for match in played[::-1]]
    assert [len(page) for page in found[:-1]] == [limit] * (len(found) - 1)
    assert found[-1]


def test_matches_of_a_bot_and_of_a_tournament(store: Store) -> None:
    first, second = entered(store), entered(store, names=("ada", "bob", "zoe"))
    played = [*results(first), *results(second)]
    save(store, played)

    def listed(**wanted: Any) -> list[str]:
        return [row.id for page in pages(store, 7, **wanted) for row in page]

    def expected(bot: int | None, tournament: int | None) -> list[str]:
        return [
            match.id
            for match in played[::-1]
            if bot in (None, *match.players) and tournament in (None, match.tournament)
        ]

    assert len(expected(first.players[0], None)) == 42
    for name, player in [("ADA", first.players[0]), ("eve", first.players[4])]:
        for tournament in (None, 1, 2, 3):
            assert listed(bot=name, tournament=tournament) == expected(player, tournament)
    assert listed(tournament=2) == expected(None, 2)
    assert listed(tournament=3) == []


def test_matches_of_a_bot_are_those_of_all_its_versions(store: Store) -> None:
    before = entered(store)
    save(store, results(before)[:3])
    with store.write() as conn:
        ada = bots.get(conn, "ada")
        conn.execute(insert(players).values(bot=ada.id, version="2", created=0.0))
    after = entered(store)
    save(store, results(after)[:3])

    rows = [row for page in pages(store, 100, bot="ada") for row in page]

    sat = Counter(seat.version for row in rows for seat in row.seats if seat.bot == "ada")
    assert set(sat) == {"1", "2"}
    assert before.players[1:] == after.players[1:]
    assert before.players[0] != after.players[0]


def test_pages_that_cannot_be_are_refused(store: Store) -> None:
    with store.read() as conn:
        for limit in (0, 1001):
            with pytest.raises(InvalidRequest, match="from 1 to 1000"):
                matches.list_matches(conn, limit=limit)
        for after in ("x", "-1", "1;2", "9" * 30, "٣"):
            with pytest.raises(InvalidRequest, match="page"):
                matches.list_matches(conn, after=after)
        with pytest.raises(NotFound, match='"zoe"'):
            matches.list_matches(conn, bot="zoe")


def test_a_match_is_locked_until_all_rotations_of_its_deal_are_stored(store: Store) -> None:
    tournament = entered(store)
    played = results(tournament)
    deal = played[0].deal
    same, others = ([m for m in played if (m.deal == deal) is it] for it in (True, False))

    def state() -> tuple[set[bool], bool]:
        with store.read() as conn:
            rows, _ = matches.list_matches(conn, limit=100)
            of_deal = {row.locked for row in rows if row.deal == deal}
            shown = matches.get_match(conn, same[0].id)
            return of_deal, shown.locked

    save(store, same[:1])
    assert state() == ({True}, True)
    save(store, [*others, same[1]])
    assert state() == ({True}, True)
    save(store, same[2:])
    assert state() == ({False}, False)


def test_deals_of_other_tournaments_with_the_same_number_do_not_unlock(store: Store) -> None:
    first, second = entered(store), entered(store)
    deal = results(first)[0].deal
    save(store, [m for m in results(first) if m.deal == deal][:2])
    save(store, [m for m in results(second) if m.deal == deal][:2])

    with store.read() as conn:
        assert all(row.locked for row in matches.list_matches(conn)[0])


def test_positions_that_are_stored_are_known(store: Store) -> None:
    tournament = entered(store)
    played = results(tournament)
    save(store, [played[place] for place in (0, 3, 4, 9, 30)])
    save(store, results(entered(store))[:10])

    with store.read() as conn:
        assert matches.done_positions(conn, tournament.id, 3, 7) == {3, 4, 9}
        assert matches.done_positions(conn, tournament.id, 40, 20) == set()


@pytest.mark.parametrize("chunk", [7, 200])
def test_all_matches_are_walked_through_in_scheduled_order(
    store: Store, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(matches, "CHUNK", chunk)
    first, second = entered(store), entered(store)
    save(store, results(second))
    save(store, results(first)[::-1])

    with store.read() as conn:
        every = [(m.tournament, m.position) for m in matches.iterate_matches(conn)]
        of_second = [m.position for m in matches.iterate_matches(conn, second.id)]

    assert every == [(number, place) for number in (1, 2) for place in range(60)]
    assert of_second == list(range(60))


def test_matches_that_ended_lately_are_counted(store: Store) -> None:
    tournament = entered(store)
    save(store, results(tournament)[:10])  # end at 2001, 2002, ...

    with store.read() as conn:
        assert matches.finished_since(conn, tournament.id, 2006.0) == 5
        assert matches.finished_since(conn, tournament.id, 0.0) == 10
        assert matches.finished_since(conn, 99, 0.0) == 0


def test_latest_faults_of_a_bot_come_first(store: Store) -> None:
    tournament = entered(store)
    played = results(tournament)
    ada = tournament.players[0]
    seats = [(m, m.players.index(ada)) for m in played if ada in m.players][:3]
    at_fault = [
        replace(
            m,
            notes=(
                FaultNote(s, 4, "timeout", "slow", "quit"),
                FaultNote(s, 8, "illegal", "what", "quit"),
            ),
        )
        for m, s in seats
    ]
    save(store, at_fault)

    with store.read() as conn:
        found = faults.recent_faults(conn, "ada", limit=5)
        assert faults.recent_faults(conn, "bob") == []
        with pytest.raises(NotFound):
            faults.recent_faults(conn, "zoe")

    newest = [(m.id, note) for m in at_fault[::-1] for note in m.notes[::-1]]
    assert [(row.match, row.note) for row in found] == newest[:5]
    assert {row.locked for row in found} == {True}
    assert {row.tournament for row in found} == {tournament.id}


def test_progress_is_read_off_the_tournament(store: Store) -> None:
    tournament = entered(store)
    save(store, results(tournament)[3:10])

    with store.read() as conn:
        assert tournaments.get(conn, tournament.id).played == 7
