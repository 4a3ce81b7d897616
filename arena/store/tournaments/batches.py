"""Batches: work units in which a tournament's matches are planned and handed to workers."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from arena.base.errors import NotFound
from arena.store.dialects import insert
from arena.store.tables import batches, tournaments
from arena.tournaments.formats import PlannedMatch


@dataclass(frozen=True, slots=True)
class Batch:
    """Planned matches with consecutive positions from `first` on. `checkpoint` holds its matches in
    progress: an encoded arena.internal.Checkpoint."""

    tournament: int
    number: int
    first: int
    matches: tuple[PlannedMatch, ...]
    checkpoint: bytes | None
    done: bool


def add_batch(
    conn: Connection, tournament: int, number: int, matches: Sequence[PlannedMatch]
) -> bool:
    """Stores a batch of consecutive matches. Returns False if there already is one."""
    row = {
        "tournament": tournament,
        "number": number,
        "first": matches[0].position,
        "matches": json.dumps([[m.deal, m.seats] for m in matches], separators=(",", ":")),
        "done": False,
    }
    statement = insert(conn, batches).values(**row).on_conflict_do_nothing()
    return conn.scalar(statement.returning(batches.c.number)) is not None


def get_batch(conn: Connection, tournament: int, number: int) -> Batch:
    """One batch. Raises NotFound."""
    query = select(batches).where(batches.c.tournament == tournament, batches.c.number == number)
    row = conn.execute(query).first()
    if row is None:
        raise NotFound(f"Tournament {tournament} has no batch {number}.")
    return _batch(row)


def open_numbers(conn: Connection, tournament: int) -> list[int]:
    """The numbers of the unfinished batches, in order."""
    query = select(batches.c.number).where(batches.c.tournament == tournament, ~batches.c.done)
    return list(conn.scalars(query.order_by(batches.c.number)))


def all_open(conn: Connection) -> list[tuple[int, int]]:
    """The unfinished batches of running tournaments, in order, as (tournament, number)."""
    running = select(tournaments.c.id).where(tournaments.c.state == "running")
    query = select(batches.c.tournament, batches.c.number).where(
        batches.c.tournament.in_(running), ~batches.c.done
    )
    rows = conn.execute(query.order_by(batches.c.tournament, batches.c.number))
    return [(row.tournament, row.number) for row in rows]


def next_number(conn: Connection, tournament: int) -> int:
    """The number for the next batch, from 0."""
    query = select(func.max(batches.c.number)).where(batches.c.tournament == tournament)
    highest = conn.scalar(query)
    return 0 if highest is None else highest + 1


def open_batches(conn: Connection, tournament: int) -> list[Batch]:
    """The unfinished batches, in order."""
    query = select(batches).where(batches.c.tournament == tournament, ~batches.c.done)
    return [_batch(row) for row in conn.execute(query.order_by(batches.c.number))]


def save_checkpoint(conn: Connection, tournament: int, number: int, blob: bytes | None) -> None:
    """Saves a batch's matches in progress; None deletes the checkpoint."""
    _change(conn, tournament, number, checkpoint=blob)


def finish_batch(conn: Connection, tournament: int, number: int) -> None:
    """Marks a batch as finished and deletes its checkpoint."""
    _change(conn, tournament, number, checkpoint=None, done=True)


def _change(conn: Connection, tournament: int, number: int, **values: object) -> None:
    where = (batches.c.tournament == tournament, batches.c.number == number)
    conn.execute(update(batches).where(*where).values(**values))


def _batch(row: Row[Any]) -> Batch:
    matches = tuple(
        PlannedMatch(position, deal, tuple(seats))
        for position, (deal, seats) in enumerate(json.loads(row.matches), row.first)
    )
    return Batch(row.tournament, row.number, row.first, matches, row.checkpoint, row.done)
