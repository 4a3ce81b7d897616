"""Matches as they are read from the database."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, bindparam, func, or_, select

from arena.games.match import MatchSetup, Seat
from arena.store.matches.model import FaultNote
from arena.store.tables import (
    archived_deals,
    bots,
    fault_notes,
    match_seats,
    matches,
    players,
    tournaments,
)
from arena.store.tournaments import daily
from arena.store.tournaments.tournaments import decode_spec


@dataclass(frozen=True, slots=True)
class SeatRow:
    """The result of a seat; overall Elo is None until the match is rated."""

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
    """A match in a list; `number` increases in the order of storing."""

    number: int
    id: str
    tournament: int
    position: int
    deal: int
    game: str
    finished: float
    locked: bool
    seats: tuple[SeatRow, ...]

    @property
    def ranked(self) -> list[SeatRow]:
        """The seats, best first."""
        return sorted(self.seats, key=attrgetter("rank"))

    def seat_of(self, bot: str) -> SeatRow | None:
        """The first seat of the bot with this name, or None."""
        return next((seat for seat in self.seats if seat.bot == bot), None)

    @property
    def shared(self) -> bool:
        return sum(seat.rank == 1 and not seat.forfeited for seat in self.seats) > 1

    @property
    def margin(self) -> int | None:
        """Points between winner and runner-up; None if all others forfeited."""
        points = sorted(seat.points for seat in self.seats if not seat.forfeited)
        return points[1] - points[0] if len(points) > 1 else None


@dataclass(frozen=True, slots=True)
class StoredMatch(MatchRow):
    """A match with all stored data."""

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
        """The input for a replay: `arena.games.packed_log.replay(stored.setup, stored.log)`."""
        seats = tuple(Seat(seat.bot, seat.version) for seat in self.seats)
        return MatchSetup(
            self.id, self.game, self.seed, seats, self.options, self.fault_limit, self.ruleset
        )


def locked() -> ColumnElement[bool]:
    """Whether the match of the enclosing query belongs to an incomplete or sealed deal."""
    same_deal = matches.alias()
    stored = select(func.count()).where(
        same_deal.c.tournament == matches.c.tournament, same_deal.c.deal == matches.c.deal
    )
    of_it = tournaments.alias()
    whole = select(of_it.c.matches_per_deal).where(of_it.c.id == matches.c.tournament)
    archived = select(func.coalesce(func.sum(archived_deals.c.matches), 0)).where(
        archived_deals.c.tournament == matches.c.tournament,
        archived_deals.c.deal == matches.c.deal,
    )
    here, there, all_ = (
        query.correlate(matches).scalar_subquery() for query in (stored, archived, whole)
    )
    return or_(here + there != all_, daily.sealed(matches.c.tournament))


_row, _seat, _note = matches.c, match_seats.c, fault_notes.c
# The columns of MatchRow, without seats; those that `read_whole` needs.
LISTED: Select[Any] = select(
    _row.number, _row.id, _row.tournament, _row.position, _row.deal, _row.game
).add_columns(_row.finished, locked().label("locked"))
WHOLE: Select[Any] = (
    LISTED.add_columns(_row.batch, _row.ruleset, _row.options, _row.seed, _row.log, _row.started)
    .add_columns(_row.rated_seq, tournaments.c.spec)
    .join_from(matches, tournaments)
)
ONE = WHOLE.where(_row.id == bindparam("id"))
SEATS = (
    select(_seat.match, _seat.player, bots.c.name, players.c.version)
    .add_columns(_seat.points, _seat.rank, _seat.faults, _seat.forfeited)
    .add_columns(_seat.elo_before, _seat.elo_change)
    .join_from(match_seats, players)
    .join(bots)
    .where(_seat.match.in_(bindparam("numbers", expanding=True)))
    .order_by(_seat.match, _seat.seat)
)
NOTES = (
    select(_note.match, _note.seat, _note.number, _note.kind, _note.reason, _note.instead)
    .where(_note.match.in_(bindparam("numbers", expanding=True)))
    .order_by(_note.match, _note.note)
)


def read_one(conn: Connection, match: str) -> StoredMatch | None:
    """The match with this id; None if it is not in the database."""
    stored = read_whole(conn, ONE, {"id": match})
    return stored[0] if stored else None


def read_whole(
    conn: Connection, query: Select[Any], values: Mapping[str, Any] | None = None
) -> list[StoredMatch]:
    """The matches of a query based on WHOLE, in its order."""
    rows = conn.execute(query, values).all()
    numbers = [row.number for row in rows]
    seats, notes = read_seats(conn, numbers), _read_notes(conn, numbers)
    return [_stored_match(row, seats[row.number], notes[row.number]) for row in rows]


def _stored_match(
    row: Row[Any], seats: tuple[SeatRow, ...], notes: tuple[FaultNote, ...]
) -> StoredMatch:
    fields = dict(row._mapping)
    fields["fault_limit"] = decode_spec(fields.pop("spec")).fault_limit
    fields["options"] = json.loads(fields["options"])
    return StoredMatch(**fields, seats=seats, notes=notes)


def read_seats(conn: Connection, numbers: Sequence[int]) -> dict[int, tuple[SeatRow, ...]]:
    """By match, its seats, seat 0 first."""
    by_match: dict[int, list[SeatRow]] = defaultdict(list)
    for match, *fields in conn.execute(SEATS, {"numbers": numbers}):
        by_match[match].append(SeatRow(*fields))
    return {match: tuple(lines) for match, lines in by_match.items()}


def _read_notes(conn: Connection, numbers: Sequence[int]) -> dict[int, tuple[FaultNote, ...]]:
    rows = conn.execute(NOTES, {"numbers": numbers})
    by_match: dict[int, list[FaultNote]] = defaultdict(list)
    for match, *fields in rows:
        by_match[match].append(FaultNote(*fields))
    return defaultdict(tuple, {match: tuple(notes) for match, notes in by_match.items()})
