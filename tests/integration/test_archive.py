"""Months of matches that leave the database for files, and come back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from arena.errors import NotFound
from arena.store import Store, archiving, rebuild
from arena.store.archive import catalogue
from arena.store.matches import matches, months
from arena.store.registry import audit_log
from arena.store.registry.audit_log import Actor
from arena.store.save import FaultNote, MatchResult
from arena.store.tables import fault_notes, match_seats
from arena.store.tables import matches as matches_table
from arena.store.tournaments import tournaments
from tests.integration.test_store_months import of_month, stored_months
from tests.made_results import entered, results, save

YEAR = 2011  # of this file: other tests on the same server begin no month of it
ME = Actor("ada", "command line")
NOTE = FaultNote(1, 4, "timeout", "no answer within 2000 ms", "quit")
TABLES = (matches_table, match_seats, fault_notes)


@pytest.fixture
def store(store: Store, tmp_path: Path) -> Iterator[Store]:
    """An empty store whose archives are in a folder of their own."""
    before, store.archive = store.archive, tmp_path / "archive"
    yield store
    store.archive = before


def month(number: int) -> int:
    return months.named(f"{YEAR}-{number:02}")


def rows(store: Store) -> list[list[Any]]:
    """All matches, seats and fault notes in the database."""
    with store.read() as conn:
        return [
            [tuple(row) for row in conn.execute(select(t).order_by(*t.primary_key.columns))]
            for t in TABLES
        ]


def over(store: Store, tournament: int, state: tournaments.State = "finished") -> None:
    with store.write() as conn:
        tournaments.set_state(conn, tournament, state)


def played_for_months(store: Store, **asked: Any) -> list[MatchResult]:
    """A tournament that went on from January to March and is over, with a fault in each month."""
    tournament = entered(store, **asked)
    every = results(tournament)
    third = len(every) // 3
    found: list[MatchResult] = []
    for number in (1, 2, 3):
        part = every[third * (number - 1) : third * number if number < 3 else None]
        part[0] = replace(part[0], notes=(NOTE,), faults=(0, 1, *[0] * (tournament.spec.seats - 2)))
        found += of_month(part, number, YEAR)
        save(store, found[-len(part) :])
    over(store, tournament.id)
    return found


def archive(store: Store, number: int, most: int = 1000) -> list[str]:
    return [file.name for file in archiving.save_month(store, month(number), ME, most=most)]


def differences(store: Store, game: str = "lama") -> Sequence[str]:
    with store.snapshot() as conn:
        return rebuild.compare(conn, game).differences


def test_a_month_goes_and_comes_back_row_for_row(store: Store) -> None:
    played_for_months(store)
    before = rows(store)

    names = archive(store, 1)

    assert names == [f"matches-{YEAR}-01-1.sqlite"]
    assert sorted(stored_months(store)) == [f"{YEAR}-02", f"{YEAR}-03"]
    assert archiving.restore_month(store, month(1), ME) == names
    assert rows(store) == before
    with store.read() as conn:
        assert catalogue.every(conn) == []
        entries = [(e.action, e.subject) for e in audit_log.entries(conn, 2)]
    assert entries == [(done, f"matches of {YEAR}-01") for done in ("restored", "archived")]


def test_archived_matches_are_shown_and_exported_as_before(store: Store) -> None:
    played = played_for_months(store)
    with store.read() as conn:
        shown = {each.id: matches.get_match(conn, each.id) for each in played}
        exported = list(matches.iterate_matches(conn))
        listed = matches.list_matches(conn, limit=1000)[0]

    archive(store, 1, most=7)
    archive(store, 2, most=1000)

    with store.read() as conn:
        assert {each.id: matches.get_match(conn, each.id) for each in played} == shown
        assert list(matches.iterate_matches(conn)) == exported
        assert list(matches.iterate_matches(conn, played[0].tournament)) == exported
        assert all(matches.deal_finished(conn, e.tournament, e.deal) for e in played)
        ids = [row.id for row in listed]
        assert _pages(conn, 7) == ids
        assert _pages(conn, 1000, tournament=played[0].tournament) == ids
        with pytest.raises(NotFound):
            matches.get_match(conn, "nothing")


def _pages(conn: Any, limit: int, **wanted: Any) -> list[str]:
    found, after = [], ""
    while True:
        page, after = matches.list_matches(
            conn, limit=limit, after=after, with_archived=True, **wanted
        )
        found += [row.id for row in page]
        if not after:
            return found


def test_all_numbers_are_the_same_to_the_bit_with_archived_months(store: Store) -> None:
    played_for_months(store)
    played_for_months(store, matches=60)
    with store.read() as conn:
        count = rebuild.compare(conn, "lama")

    archive(store, 1, most=13)
    archive(store, 3 if False else 2)

    with store.snapshot() as conn:
        assert rebuild.games(conn) == ["lama"]
        assert rebuild.compare(conn, "lama") == count
    with store.write() as conn:
        assert rebuild.rebuild(conn, "lama") == count
    archiving.restore_month(store, month(2), ME)
    assert differences(store) == ()
