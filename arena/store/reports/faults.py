"""The latest faults of a bot, and the first fault of every bot in a tournament."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, select

from arena.store.matches import archived
from arena.store.matches.model import FaultNote
from arena.store.matches.rows import locked
from arena.store.registry import bots
from arena.store.reports import standings
from arena.store.reports.standings import Standing
from arena.store.tables import fault_notes, match_seats, matches, tournaments

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
    """The latest faults in rated matches of all versions of a bot, newest match first. Raises
    NotFound."""
    rows = conn.execute(RECENT, {"of": bots.get(conn, bot).id, "most": limit})
    return [
        FaultRow(match, tournament, finished, hidden, FaultNote(*fault))
        for match, tournament, finished, hidden, *fault in rows
    ]


# The first faults of a tournament

Order = tuple[float, int]  # of faults: when the match ended, and its number


@dataclass(frozen=True, slots=True)
class FirstFault:
    """A bot in a tournament, and its first fault, if any."""

    line: Standing
    fault: FaultRow | None


def first_faults(conn: Connection, tournament: int) -> list[FirstFault]:
    """Every bot in the order of the standings, with the first fault in the match that ended first.
    Raises NotFound, and Unavailable if an archive is missing."""
    lines = standings.standings(conn, tournament)
    found = _stored(conn, tournament)
    if any(line.faults for line in lines):
        for player, order, fault in _archived(conn, tournament):
            if player not in found or order < found[player][0]:
                found[player] = order, fault
    return [FirstFault(line, found.get(line.player, (None, None))[1]) for line in lines]


def _stored(conn: Connection, tournament: int) -> dict[int, tuple[Order, FaultRow]]:
    """By player, the first fault in the database."""
    note, seat, row = fault_notes.c, match_seats.c, matches.c
    place = func.row_number().over(
        partition_by=seat.player, order_by=(row.finished, row.number, note.note)
    )
    ranked = (
        select(seat.player, note.match, note.note, place.label("place"))
        .join_from(matches, fault_notes, note.match == row.number)
        .join(match_seats, (seat.match == note.match) & (seat.seat == note.seat))
        .where(row.tournament == tournament)
        .subquery()
    )
    this = (note.match == ranked.c.match) & (note.note == ranked.c.note)
    query = (
        select(ranked.c.player, row.number, row.id, row.finished, locked())
        .add_columns(note.seat, note.number, note.kind, note.reason, note.instead)
        .join_from(ranked, fault_notes, this)
        .join(matches, row.number == note.match)
        .where(ranked.c.place == 1)
    )
    return {
        player: (
            (finished, number),
            FaultRow(match, tournament, finished, hidden, FaultNote(*noted)),
        )
        for player, number, match, finished, hidden, *noted in conn.execute(query)
    }


def _archived(conn: Connection, tournament: int) -> Iterator[tuple[int, Order, FaultRow]]:
    """Yields players with their first fault in each archived match."""
    for match in archived.with_faults(conn, tournament):
        seen = set()
        for note in match.notes:
            player = match.seats[note.seat].player
            if player not in seen:
                seen.add(player)
                row = FaultRow(match.id, tournament, match.finished, match.locked, note)
                yield player, (match.finished, match.number), row
