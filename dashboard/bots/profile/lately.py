"""A bot's recent results: its winning streak and its best wins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

from sqlalchemy import Connection, Row, select

from arena.store.matches import matches
from arena.store.matches.match_filter import CheckedFilter, numbers
from arena.store.matches.rows import MatchRow, SeatRow
from arena.store.tables import match_seats

AMONG = 100  # the latest tournament matches, rated or not
BEST = 5  # wins

Seat = Row[int, int, int, bool, float, int]  # number of the match, bot, rank, forfeited, Elo, seat


class BestWin(NamedTuple):
    """A win, and the strongest opponent beaten in it, by live Elo before the match."""

    match: MatchRow
    opponent: SeatRow


class Lately(NamedTuple):
    """Results of the latest `matches`: the number won, the current streak and the best wins, one
    for each of the strongest opponents beaten."""

    matches: int
    won: int
    streak: int
    best: list[BestWin]


def lately(conn: Connection, bot: int) -> Lately:
    """Return the results of a bot's latest tournament matches, over all versions."""
    tables = [list(seats) for _, seats in groupby(_seats(conn, bot), key=lambda seat: seat[0])]
    wins = [_has_won(seats, bot) for seats in tables]
    beaten = [_best(seats, bot) for seats, won in zip(tables, wins, strict=True) if won]
    streak = len(list(takewhile(bool, wins)))
    return Lately(len(tables), sum(wins), streak, _best_wins(conn, [b for b in beaten if b]))


def _seats(conn: Connection, bot: int) -> Sequence[Seat]:
    latest = numbers(CheckedFilter(bot, None, lost=False, faults=False)).limit(AMONG).subquery()
    seat = match_seats.c
    return conn.execute(
        select(seat.match, seat.bot, seat.rank, seat.forfeited, seat.elo_before, seat.seat)
        .join_from(latest, match_seats, seat.match == latest.c[0])
        .order_by(seat.match.desc(), seat.seat)
    ).all()


def _has_won(seats: Sequence[Seat], bot: int) -> bool:
    """Whether the bot won, alone or shared."""
    return any(seat[1] == bot and seat[2] == 1 and not seat[3] for seat in seats)


def _best(seats: Sequence[Seat], bot: int) -> Seat | None:
    others = [seat for seat in seats if seat[1] != bot and seat[2] > 1 and seat[4] is not None]
    return max(others, key=lambda seat: seat[4], default=None)


def _best_wins(conn: Connection, beaten: Sequence[Seat]) -> list[BestWin]:
    """The win against each of the strongest opponents, when it was strongest."""
    once = {seat[1]: seat for seat in sorted(beaten, key=lambda seat: seat[4])}
    best = sorted(once.values(), key=lambda seat: -seat[4])[:BEST]
    rows = matches.rows_of(conn, [seat[0] for seat in best])
    return [BestWin(row, row.seats[seat[5]]) for row, seat in zip(rows, best, strict=True)]
