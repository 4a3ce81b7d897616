"""Finished matches, as they are listed, shown and exported.

A match is *locked* until all matches of its deal are stored: whoever saw its cards before
could tell a bot that is still to play them.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, Select, exists, func, select

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
from arena.store.registry import bots
from arena.store.tables import entrants, match_seats, matches, players, tournaments

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
) -> tuple[list[MatchRow], str]:
    """A page of matches, newest first, and where the next page begins ("" at the end).

    Those of test matches and of tables with a human are listed only for their `tournament`.
    `bot` is a name and stands for all its versions; `after` is what the page before gave.
    Raises NotFound for a bot that does not exist, InvalidRequest for a limit outside
    1 to 1000 or an `after` that no page gave.
    """
    if not 1 <= limit <= MOST:
        raise InvalidRequest(f"limit is {limit}; it must be from 1 to {MOST}.")
    numbers = _page(conn, bot, tournament, _position_of(after))
    keys = list(conn.scalars(numbers.limit(limit + 1)))
    page = keys[:limit]
    query = listed().where(matches.c.number.in_(page)).order_by(matches.c.number.desc())
    rows = conn.execute(query).all()
    seats = read_seats(conn, page)
    items = [MatchRow(**row._mapping, seats=seats[row.number]) for row in rows]
    return items, str(page[-1]) if len(keys) > limit else ""


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


def _page(
    conn: Connection, bot: str | None, tournament: int | None, before: int | None
) -> Select[int]:
    """Numbers of the matches asked for, newest first."""
    if bot is None:
        query, number = select(matches.c.number), matches.c.number
    elif tournament is None:
        number = match_seats.c.match
        query = select(number).where(match_seats.c.bot == bots.get(conn, bot).id).distinct()
        query = query.join_from(match_seats, matches)
    else:
        query, number = _of_both(bots.get(conn, bot).id, tournament), matches.c.number
    if tournament is not None:
        query = query.where(matches.c.tournament == tournament)
    else:
        rated = tournaments.c.id == matches.c.tournament, tournaments.c.kind == "tournament"
        query = query.where(exists().where(*rated))
    if before is not None:
        query = query.where(number < before)
    return query.order_by(number.desc())


def _of_both(bot: int, tournament: int) -> Select[int]:
    """A walk through a tournament's matches; it is not begun for a bot that did not enter."""
    sat = exists().where(match_seats.c.match == matches.c.number, match_seats.c.bot == bot)
    entered = select(entrants.c.player).join(players).where(players.c.bot == bot)
    entered = entered.where(entrants.c.tournament == tournament)
    return select(matches.c.number).where(entered.exists(), sat)


def _position_of(after: str | None) -> int | None:
    if not after:
        return None
    if not (after.isascii() and after.isdigit() and len(after) < 19):
        raise InvalidRequest(
            f'"{after[:40]}" is no page\'s end: give the "next" of the page before.'
        )
    return int(after)
