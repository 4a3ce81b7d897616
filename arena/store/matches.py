"""Finished matches, as they are listed, shown and exported.

A match is *locked* until every rotation of its deal is stored: whoever saw its cards before
could tell a bot that is still to play them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, func, select, tuple_

from arena.errors import InvalidRequest, NotFound
from arena.match import MatchSetup, Seat
from arena.store import bots
from arena.store.results import FaultNote
from arena.store.tables import bots as bots_table
from arena.store.tables import fault_notes, match_seats, matches, players, tournaments
from arena.store.tournaments import decode_spec

MOST = 1000  # matches in one page
CHUNK = 200  # matches read at a time for an export


@dataclass(frozen=True, slots=True)
class SeatRow:
    """How one seat did; the Elo is that over all numbers of seats, None until it is rated."""

    player: int
    bot: str
    version: str
    points: int
    rank: int
    faults: int
    forfeited: bool
    elo_before: float | None
    elo_change: float | None


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A line of a list of matches; `number` counts all matches in the order of storing."""

    number: int
    id: str
    tournament: int
    position: int
    deal: int
    game: str
    finished: float
    locked: bool
    seats: tuple[SeatRow, ...]


@dataclass(frozen=True, slots=True)
class StoredMatch(MatchRow):
    """A match with all that is known of it."""

    batch: int
    ruleset: str
    options: Mapping[str, str]
    seed: bytes
    log: bytes
    started: float
    rated_seq: int | None
    fault_limit: int
    notes: tuple[FaultNote, ...]

    @property
    def setup(self) -> MatchSetup:
        """What the match follows from: `arena.record.replay(stored.setup, stored.log)`."""
        seats = tuple(Seat(seat.bot, seat.version) for seat in self.seats)
        return MatchSetup(self.id, self.game, self.seed, seats, self.options, self.fault_limit)


def list_matches(
    conn: Connection,
    bot: str | None = None,
    tournament: int | None = None,
    limit: int = 50,
    after: str | None = None,
) -> tuple[list[MatchRow], str]:
    """A page of matches, newest first, and where the next page begins ("" at the end).

    `bot` is a name and stands for all its versions; `after` is what the page before gave.
    Raises NotFound for a bot that does not exist, InvalidRequest for a limit outside
    1 to 1000 or an `after` that no page gave.
    """
    if not 1 <= limit <= MOST:
        raise InvalidRequest(f"limit is {limit}; it must be from 1 to {MOST}.")
    numbers = _page(conn, bot, tournament, _position_of(after))
    found = list(conn.scalars(numbers.limit(limit + 1)))
    page = found[:limit]
    query = _rows().where(matches.c.number.in_(page)).order_by(matches.c.number.desc())
    rows = conn.execute(query).all()
    seats = _seats(conn, page)
    listed = [MatchRow(**row._mapping, seats=seats[row.number]) for row in rows]
    return listed, str(page[-1]) if len(found) > limit else ""


def get_match(conn: Connection, match: str) -> StoredMatch:
    """One match by id, with its log and faults. Raises NotFound."""
    found = _stored(conn, _whole_rows().where(matches.c.id == match))
    if not found:
        raise NotFound(f'There is no match "{match[:40]}".')
    return found[0]


def iterate_matches(conn: Connection, tournament: int | None = None) -> Iterator[StoredMatch]:
    """All matches, of one tournament or of all, in scheduled order; a few in memory at a time."""
    place = tuple_(matches.c.tournament, matches.c.position)
    last = (0, -1) if tournament is None else (tournament, -1)
    query = _whole_rows().order_by(matches.c.tournament, matches.c.position).limit(CHUNK)
    if tournament is not None:
        query = query.where(matches.c.tournament == tournament)
    while chunk := _stored(conn, query.where(place > last)):
        yield from chunk
        last = (chunk[-1].tournament, chunk[-1].position)


def deal_finished(conn: Connection, tournament: int, deal: int) -> bool:
    """Whether every rotation of a deal is stored, so that its matches may be shown."""
    query = select(func.count(), func.max(matches.c.seats))
    stored, seats = conn.execute(
        query.where(matches.c.tournament == tournament, matches.c.deal == deal)
    ).one()
    return bool(stored and stored >= seats)


def done_positions(conn: Connection, tournament: int, first: int, count: int) -> set[int]:
    """Which of `count` positions from `first` on are stored."""
    position = matches.c.position
    within = position.between(first, first + count - 1)
    return set(conn.scalars(select(position).where(matches.c.tournament == tournament, within)))


def finished_since(conn: Connection, tournament: int, since: float, most: int = 10_000) -> int:
    """How many matches of a tournament ended after a moment, counting the newest `most`."""
    newest = (
        select(matches.c.finished)
        .where(matches.c.tournament == tournament)
        .order_by(matches.c.number.desc())
        .limit(most)
        .subquery()
    )
    return conn.scalar(select(func.count()).where(newest.c.finished >= since)) or 0


def _page(
    conn: Connection, bot: str | None, tournament: int | None, before: int | None
) -> Select[int]:
    """Numbers of the matches asked for, newest first."""
    number: ColumnElement[int] = matches.c.number if bot is None else match_seats.c.match
    query = select(number).order_by(number.desc())
    if bot is not None:
        found = bots.get(conn, bot)
        query = query.where(match_seats.c.bot == found.id).distinct()
        if tournament is not None:
            query = query.join_from(match_seats, matches).where(_span(number, tournament))
    if tournament is not None:
        query = query.where(matches.c.tournament == tournament)
    return query if before is None else query.where(number < before)


def _span(number: ColumnElement[int], tournament: int) -> ColumnElement[bool]:
    """Between a tournament's first and last match, so that no others need be looked at."""
    of_it = select(matches.c.number).where(matches.c.tournament == tournament)
    first = of_it.order_by(matches.c.number).limit(1).scalar_subquery()
    last = of_it.order_by(matches.c.number.desc()).limit(1).scalar_subquery()
    return number.between(first, last)


def _position_of(after: str | None) -> int | None:
    if not after:
        return None
    if not (after.isascii() and after.isdigit() and len(after) < 19):
        raise InvalidRequest(
            f'"{after[:40]}" is no page\'s end: give the "next" of the page before.'
        )
    return int(after)


def locked() -> ColumnElement[bool]:
    """Whether a match of the query around has rotations of its deal that are still to come."""
    same_deal = matches.alias()
    stored = select(func.count()).where(
        same_deal.c.tournament == matches.c.tournament, same_deal.c.deal == matches.c.deal
    )
    return stored.correlate(matches).scalar_subquery() < matches.c.seats


def _rows() -> Select[Any]:
    row = matches.c
    return select(row.number, row.id, row.tournament, row.position, row.deal, row.game).add_columns(
        row.finished, locked().label("locked")
    )


def _whole_rows() -> Select[Any]:
    row = matches.c
    return (
        _rows()
        .add_columns(row.batch, row.ruleset, row.options, row.seed, row.log, row.started)
        .add_columns(row.rated_seq, tournaments.c.spec)
        .join_from(matches, tournaments)
    )


def _stored(conn: Connection, query: Select[Any]) -> list[StoredMatch]:
    rows = conn.execute(query).all()
    numbers = [row.number for row in rows]
    seats, notes = _seats(conn, numbers), _notes(conn, numbers)
    return [_stored_match(row, seats[row.number], notes[row.number]) for row in rows]


def _stored_match(
    row: Row[Any], seats: tuple[SeatRow, ...], notes: tuple[FaultNote, ...]
) -> StoredMatch:
    fields = dict(row._mapping)
    fields["fault_limit"] = decode_spec(fields.pop("spec")).fault_limit
    fields["options"] = json.loads(fields["options"])
    return StoredMatch(**fields, seats=seats, notes=notes)


def _seats(conn: Connection, numbers: Sequence[int]) -> dict[int, tuple[SeatRow, ...]]:
    """For each match its seats, seat 0 first."""
    seat = match_seats.c
    rows = conn.execute(
        select(seat.match, seat.player, bots_table.c.name, players.c.version)
        .add_columns(seat.points, seat.rank, seat.faults, seat.forfeited)
        .add_columns(seat.elo_before, seat.elo_change)
        .join_from(match_seats, players)
        .join(bots_table)
        .where(seat.match.in_(numbers))
        .order_by(seat.match, seat.seat)
    )
    found: dict[int, list[SeatRow]] = defaultdict(list)
    for match, *fields in rows:
        found[match].append(SeatRow(*fields))
    return {match: tuple(lines) for match, lines in found.items()}


def _notes(conn: Connection, numbers: Sequence[int]) -> dict[int, tuple[FaultNote, ...]]:
    note = fault_notes.c
    rows = conn.execute(
        select(note.match, note.seat, note.number, note.kind, note.reason, note.instead)
        .where(note.match.in_(numbers))
        .order_by(note.match, note.note)
    )
    found: dict[int, list[FaultNote]] = defaultdict(list)
    for match, *fields in rows:
        found[match].append(FaultNote(*fields))
    return defaultdict(tuple, {match: tuple(notes) for match, notes in found.items()})
