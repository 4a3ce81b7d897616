"""Months of synthetic matches, and moving them to archives."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import select

from arena.store import Store, archiving, rebuild
from arena.store.matches import months
from arena.store.registry.audit_log import Actor
from arena.store.save import FaultNote, MatchResult
from arena.store.tables import MATCH_TABLES
from arena.store.tournaments import tournaments
from tests.integration.store.test_store_months import of_month
from tests.made_results import entered, results, save

YEAR = 2011  # no other test on the same server uses it
ME = Actor("ada", "command line")
NOTE = FaultNote(1, 4, "timeout", "no answer within 2000 ms", "quit")


@contextmanager
def own_archives(store: Store, folder: Path) -> Iterator[None]:
    """Sets the archive folder of a store that tests share."""
    before, store.archive = store.archive, folder / "archive"
    try:
        yield
    finally:
        store.archive = before


def month(number: int) -> int:
    return months.named(f"{YEAR}-{number:02}")


def rows(store: Store) -> list[list[Any]]:
    """All matches, seats and fault notes in the database."""
    with store.read() as conn:
        return [
            [tuple(row) for row in conn.execute(select(t).order_by(*t.primary_key.columns))]
            for t in MATCH_TABLES
        ]


def over(store: Store, tournament: int, state: tournaments.State = "finished") -> None:
    with store.write() as conn:
        tournaments.set_state(conn, tournament, state)


def played_for_months(store: Store, **asked: Any) -> list[MatchResult]:
    """A finished tournament from January to March, with a fault in each month."""
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
