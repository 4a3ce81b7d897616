"""The faults of a bot in all its matches."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select

from arena.store.matches.model import FaultNote
from arena.store.matches.rows import locked
from arena.store.registry import bots
from arena.store.tables import fault_notes, matches, tournaments

_note = fault_notes.c
RECENT = (
    select(matches.c.id, matches.c.tournament, matches.c.finished, locked())
    .add_columns(_note.seat, _note.number, _note.kind, _note.reason, _note.instead)
    .join_from(fault_notes, matches, matches.c.number == _note.match)
    .join(tournaments)
    .where(_note.bot == bindparam("of"), tournaments.c.kind == "tournament")
    .order_by(_note.match.desc(), _note.note.desc())
    .limit(bindparam("most"))
)


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
    rows = conn.execute(RECENT, {"of": bots.get(conn, bot).id, "most": limit})
    return [
        FaultRow(match, tournament, finished, hidden, FaultNote(*fault))
        for match, tournament, finished, hidden, *fault in rows
    ]
