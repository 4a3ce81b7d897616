"""Deals of which all matches are stored: as many as the tournament's format plays of each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select

from arena.rating.deal_sums import SeatResults
from arena.store.tables import match_seats, matches, tournaments

CHUNK = 1000  # deals read at a time


def newly_complete(
    conn: Connection, tournament: int, touched: Collection[int]
) -> list[list[SeatResults]]:
    """Those of these deals of a tournament that are whole, each as its matches."""
    whole = _whole(conn, tournament, matches.c.deal.in_(touched))
    if not whole:
        return []
    return list(_read(conn, tournament, matches.c.deal.in_(whole)))


def of_game(conn: Connection, game: str) -> Iterator[tuple[int, Iterator[list[SeatResults]]]]:
    """Every rated tournament that has matches of a game, with its whole deals."""
    played = select(matches.c.tournament).where(matches.c.game == game).distinct()
    played = played.join_from(matches, tournaments).where(tournaments.c.kind == "tournament")
    for tournament in conn.scalars(played.order_by(matches.c.tournament)).all():
        yield tournament, _of_tournament(conn, tournament)


def _of_tournament(conn: Connection, tournament: int) -> Iterator[list[SeatResults]]:
    last = conn.scalar(select(func.max(matches.c.deal)).where(matches.c.tournament == tournament))
    for first in range(0, (-1 if last is None else last) + 1, CHUNK):
        chunk = matches.c.deal.between(first, first + CHUNK - 1)
        yield from _read(conn, tournament, chunk, set(_whole(conn, tournament, chunk)))


def _whole(conn: Connection, tournament: int, which: ColumnElement[bool]) -> list[int]:
    """Those deals of which all matches are stored."""
    query = select(matches.c.deal).where(matches.c.tournament == tournament, which)
    whole = select(tournaments.c.matches_per_deal).where(tournaments.c.id == tournament)
    query = query.group_by(matches.c.deal).having(func.count() == whole.scalar_subquery())
    return list(conn.scalars(query))


def _read(
    conn: Connection,
    tournament: int,
    which: ColumnElement[bool],
    deals: Collection[int] | None = None,
) -> Iterator[list[SeatResults]]:
    """The matches of these deals, deal by deal."""
    seat = match_seats.c
    rows = conn.execute(
        select(matches.c.deal, matches.c.number, seat.player, seat.points, seat.forfeited)
        .join_from(matches, match_seats)
        .where(matches.c.tournament == tournament, which)
        .order_by(matches.c.deal, matches.c.number, seat.seat)
    )
    for deal, lines in groupby(rows, key=itemgetter(0)):
        if deals is None or deal in deals:
            yield [_table(match) for _, match in groupby(lines, key=itemgetter(1))]


def _table(lines: Iterable[Any]) -> SeatResults:
    _, _, players, points, forfeited = zip(*lines, strict=True)
    return SeatResults(players, points, forfeited)
