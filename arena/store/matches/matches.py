"""Finished matches for lists, pages and exports.

A match is *locked* until all matches of its deal are stored, because its cards would help bots that
have yet to play the deal. A match on a daily deal is locked until the deal is opened.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from heapq import merge
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection, bindparam, exists, func, select

from arena.base.errors import InvalidRequest, NotFound, Unavailable
from arena.store.matches import archived, narrowed
from arena.store.matches.match_filter import Filter, checked
from arena.store.matches.rows import (
    LISTED,
    WHOLE,
    MatchRow,
    SeatRow,
    StoredMatch,
    read_one,
    read_seats,
    read_whole,
)
from arena.store.tables import bots, match_seats, matches, tournaments

__all__ = [
    "MatchRow",
    "SeatRow",
    "StoredMatch",
    "done_positions",
    "finished_since",
    "get_match",
    "iterate_matches",
    "list_matches",
    "of_people",
    "rows_of",
    "whole_matches",
]

MOST = 1000  # matches per page
CHUNK = 200  # matches read together for an export
SOME = LISTED.where(matches.c.number.in_(bindparam("numbers", expanding=True)))
SINCE = select(func.count()).where(
    matches.c.tournament == bindparam("of"), matches.c.finished >= bindparam("since")
)


def list_matches(
    conn: Connection,
    bot: str | None = None,
    tournament: int | None = None,
    limit: int = 50,
    after: str | None = None,
    *,
    worst: bool = False,
    with_archived: bool = False,
    **narrow: Any,
) -> tuple[list[MatchRow], str]:
    """A page of matches, newest first, and the start of the next page ("" on the last one).

    `bot` is a name and includes all versions; `after` comes from the previous page. `narrow` takes
    the other arguments of `match_filter.checked`. A page with them may have fewer matches than
    `limit` although there is a next page (`narrowed`). `worst` lists the bot's worst matches first,
    in one page. `with_archived` adds archived matches, for all bots together only. Test matches and
    casual games are only listed for their `tournament`. Raises NotFound for an unknown bot,
    InvalidRequest for a limit outside 1 to 1000, an invalid `after` or a missing bot, Unavailable
    for a missing archive.
    """
    if not 1 <= limit <= MOST:
        raise InvalidRequest(f"limit is {limit}; it must be from 1 to {MOST}.")
    wanted = checked(conn, bot, tournament, **narrow)
    if worst and after:
        raise InvalidRequest("The worst matches have only one page. Raise the limit to see more.")
    if worst:
        return rows_of(conn, narrowed.worst_numbers(conn, wanted)[:limit]), ""
    if with_archived and bot is not None:
        raise InvalidRequest("Archived matches cannot be listed by bot. Remove the bot.")
    before = _position_of(after)
    keys, following = narrowed.page(conn, wanted, before, limit)
    rows = rows_of(conn, keys)
    if with_archived:
        return _with_archived(conn, rows, following, wanted, before, limit)
    return rows, str(following) if following is not None else ""


def _with_archived(
    conn: Connection,
    rows: list[MatchRow],
    following: int | None,
    wanted: Filter,
    before: int | None,
    limit: int,
) -> tuple[list[MatchRow], str]:
    tournament, faults = wanted.tournament, wanted.faults
    older = archived.newest(conn, tournament, before, limit + 1, faults=faults)
    every = list(merge(rows, older, key=attrgetter("number"), reverse=True))
    more = len(every) > limit or following is not None
    return every[:limit], str(every[limit - 1].number) if more else ""


def of_people(
    conn: Connection, guests: Sequence[int], limit: int, game: str | None = None
) -> list[MatchRow]:
    """The latest casual games of any of these guests (by id) against bots only, newest first;
    `game` leaves out all other games. Those in missing archives are left out."""
    seat, other = match_seats.c, match_seats.alias().c
    person = bots.c.id == other.bot, bots.c.kind == "guest"
    friend = exists().where(other.match == seat.match, other.seat != seat.seat, *person)
    newest = select(seat.match).where(seat.bot.in_(guests), ~friend).distinct()
    if game is not None:
        newest = newest.join(matches).where(matches.c.game == game)
    rows = rows_of(conn, conn.scalars(newest.order_by(seat.match.desc()).limit(limit)).all())
    for tournament in archived.of_guests(conn, guests, game) if len(rows) < limit else ():
        if len(rows) >= limit:
            break
        with suppress(Unavailable):
            rows += reversed(list(archived.of_tournament(conn, tournament)))
    return rows[:limit]


def rows_of(conn: Connection, page: Sequence[int]) -> list[MatchRow]:
    """The rows of these matches, in this order."""
    rows = conn.execute(SOME, {"numbers": page})
    by_number = {row.number: row for row in rows}
    seats = read_seats(conn, page)
    return [MatchRow(**by_number[number]._mapping, seats=seats[number]) for number in page]


def whole_matches(conn: Connection, numbers: Sequence[int]) -> list[StoredMatch]:
    """The matches with these numbers that are in the database, with their logs and faults."""
    return read_whole(conn, WHOLE.where(matches.c.number.in_(numbers)))


def get_match(conn: Connection, match: str) -> StoredMatch:
    """One match by id, with its log and faults, from the database or an archive. Raises NotFound,
    and Unavailable if it may be in a missing archive."""
    found = read_one(conn, match) or archived.find(conn, match)
    if found is None:
        raise NotFound(f'There is no match "{match[:40]}".')
    return found


def stored_among(conn: Connection, ids: Collection[str]) -> set[str]:
    """The ids of these matches that are in the database; archived matches are not."""
    return set(conn.scalars(select(matches.c.id).where(matches.c.id.in_(ids))))


def iterate_matches(conn: Connection, tournament: int | None = None) -> Iterator[StoredMatch]:
    """All matches of a tournament, or of all rated ones, in scheduled order, with archived ones; a
    few in memory at a time. Raises Unavailable for a missing archive."""
    if tournament is None:
        rated = select(tournaments.c.id).where(tournaments.c.kind == "tournament")
        every = conn.scalars(rated.order_by(tournaments.c.id)).all()
    else:
        every = [tournament]
    for key in every:
        parts = _stored(conn, key), archived.of_tournament(conn, key)
        yield from merge(*parts, key=attrgetter("position"))


def _stored(conn: Connection, tournament: int) -> Iterator[StoredMatch]:
    query = WHOLE.where(matches.c.tournament == tournament)
    query = query.order_by(matches.c.position).limit(CHUNK)
    last = -1
    while chunk := read_whole(conn, query.where(matches.c.position > last)):
        yield from chunk
        last = chunk[-1].position


def done_positions(conn: Connection, tournament: int, first: int, count: int) -> set[int]:
    """The stored ones of `count` positions from `first` on."""
    position = matches.c.position
    within = position.between(first, first + count - 1)
    return set(conn.scalars(select(position).where(matches.c.tournament == tournament, within)))


def finished_since(conn: Connection, tournament: int, since: float) -> int:
    """Number of matches of a tournament that ended at or after a time (Unix seconds)."""
    return conn.scalar(SINCE, {"of": tournament, "since": since}) or 0


def _position_of(after: str | None) -> int | None:
    if not after:
        return None
    if not (after.isascii() and after.isdigit() and len(after) < 19):
        raise InvalidRequest(
            f'Invalid page cursor "{after[:40]}". Use the "next" value of the previous page.'
        )
    return int(after)
