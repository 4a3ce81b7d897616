"""Finished matches, as they are listed, shown and exported.

A match is *locked* until all matches of its deal are stored: whoever saw its cards before
could tell a bot that is still to play them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, func, select

from arena.errors import InvalidRequest, NotFound
from arena.store.matches.rows import (
    MatchRow,
    SeatRow,
    StoredMatch,
    listed,
    read_seats,
    read_whole,
    whole,
)
from arena.store.matches.wanted import Wanted, numbers
from arena.store.matches.worst import worst_numbers
from arena.store.tables import matches, tournaments

__all__ = [
    "MatchRow",
    "SeatRow",
    "StoredMatch",
    "deal_finished",
    "done_positions",
    "finished_since",
    "get_match",
    "iterate_matches",
    "list_matches",
]

MOST = 1000  # matches in one page
CHUNK = 200  # matches read at a time for an export


def list_matches(
    conn: Connection,
    bot: str | None = None,
    tournament: int | None = None,
    limit: int = 50,
    after: str | None = None,
    *,
    lost: bool = False,
    faults: bool = False,
    worst: bool = False,
) -> tuple[list[MatchRow], str]:
    """A page of matches, newest first, and where the next page begins ("" at the end).

    Those of test matches and of tables with a human are listed only for their `tournament`.
    `bot` is a name and stands for all its versions; `after` is what the page before gave. For the
    others see `arena.store.matches.wanted.Wanted`; the worst come in one page, the worst first.
    Raises NotFound for a bot that does not exist, InvalidRequest for a limit outside
    1 to 1000, an `after` that no page gave, or what is asked of no bot.
    """
    if not 1 <= limit <= MOST:
        raise InvalidRequest(f"limit is {limit}; it must be from 1 to {MOST}.")
    wanted = Wanted.checked(conn, bot, tournament, lost=lost, faults=faults)
    if worst:
        return _rows(conn, _worst(conn, wanted, limit, after)), ""
    keys = list(conn.scalars(numbers(wanted, _position_of(after)).limit(limit + 1)))
    page = keys[:limit]
    return _rows(conn, page), str(page[-1]) if len(keys) > limit else ""


def _worst(conn: Connection, wanted: Wanted, limit: int, after: str | None) -> list[int]:
    if after:
        raise InvalidRequest("The worst matches are one page: ask for more with limit.")
    return worst_numbers(conn, wanted)[:limit]


def _rows(conn: Connection, page: Sequence[int]) -> list[MatchRow]:
    """The lines of these matches, in this order."""
    rows = conn.execute(listed().where(matches.c.number.in_(page)))
    by_number = {row.number: row for row in rows}
    seats = read_seats(conn, page)
    return [MatchRow(**by_number[number]._mapping, seats=seats[number]) for number in page]


def get_match(conn: Connection, match: str) -> StoredMatch:
    """One match by id, with its log and faults. Raises NotFound."""
    stored = read_whole(conn, whole().where(matches.c.id == match))
    if not stored:
        raise NotFound(f'There is no match "{match[:40]}".')
    return stored[0]


def iterate_matches(conn: Connection, tournament: int | None = None) -> Iterator[StoredMatch]:
    """All matches, of one tournament or of all rated ones, in scheduled order; a few in memory
    at a time."""
    if tournament is None:
        rated = select(tournaments.c.id).where(tournaments.c.kind == "tournament")
        every = conn.scalars(rated.order_by(tournaments.c.id)).all()
    else:
        every = [tournament]
    query = whole().order_by(matches.c.position).limit(CHUNK)
    for key in every:
        last = -1
        of_it = query.where(matches.c.tournament == key)
        while chunk := read_whole(conn, of_it.where(matches.c.position > last)):
            yield from chunk
            last = chunk[-1].position


def deal_finished(conn: Connection, tournament: int, deal: int) -> bool:
    """Whether all matches of a deal are stored, so that they may be shown."""
    stored = select(func.count()).where(matches.c.tournament == tournament, matches.c.deal == deal)
    whole = select(tournaments.c.matches_per_deal).where(tournaments.c.id == tournament)
    return bool(conn.scalar(stored) == conn.scalar(whole))


def done_positions(conn: Connection, tournament: int, first: int, count: int) -> set[int]:
    """Which of `count` positions from `first` on are stored."""
    position = matches.c.position
    within = position.between(first, first + count - 1)
    return set(conn.scalars(select(position).where(matches.c.tournament == tournament, within)))


def finished_since(conn: Connection, tournament: int, since: float) -> int:
    """How many matches of a tournament ended at a moment (Unix seconds) or later."""
    ended = matches.c.tournament == tournament, matches.c.finished >= since
    return conn.scalar(select(func.count()).where(*ended)) or 0


def _position_of(after: str | None) -> int | None:
    if not after:
        return None
    if not (after.isascii() and after.isdigit() and len(after) < 19):
        raise InvalidRequest(
            f'"{after[:40]}" is no page\'s end: give the "next" of the page before.'
        )
    return int(after)
