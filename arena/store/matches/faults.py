"""The faults of a bot in all its matches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, bindparam, select

from arena.store.matches.model import FaultNote
from arena.store.matches.rows import locked
from arena.store.registry import bots
from arena.store.tables import fault_notes, matches, tournaments


@dataclass(frozen=True, slots=True)
class FaultRow:
    """A fault and the match it happened in."""

    match: str
    tournament: int
    finished: float
    locked: bool
    note: FaultNote


def recent_faults(conn: Connection, bot: str, limit: int = 20) -> list[FaultRow]:
    """The latest faults in rated matches of all versions of a bot, newest match first.

    Raises NotFound.
    """
    rows = conn.execute(_recent(), {"of": bots.get(conn, bot).id, "most": limit})
    return [
        FaultRow(match, tournament, finished, hidden, FaultNote(*fault))
        for match, tournament, finished, hidden, *fault in rows
    ]


@cache  # building the query takes longer than running it
def _recent() -> Select[Any]:
    note = fault_notes.c
    return (
        select(matches.c.id, matches.c.tournament, matches.c.finished, locked())
        .add_columns(note.seat, note.number, note.kind, note.reason, note.instead)
        .join_from(fault_notes, matches, matches.c.number == note.match)
        .join(tournaments)
        .where(note.bot == bindparam("of"), tournaments.c.kind == "tournament")
        .order_by(note.match.desc(), note.note.desc())
        .limit(bindparam("most"))
    )
