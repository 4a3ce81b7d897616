"""A bot's recent results: its winning streak and its best win."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

from sqlalchemy import Connection, Row, select

from arena.store.matches.match_filter import CheckedFilter, numbers
from arena.store.tables import bots, match_seats, matches

AMONG = 200  # the latest tournament matches, rated or not

Seat = Row[int, int, int, bool, float]  # number of the match, bot, rank, forfeited, Elo


class BestWin(NamedTuple):
    """The strongest opponent beaten, by live Elo before the match."""

    match: str
    opponent: str
    elo: float


class Lately(NamedTuple):
    """Results of the latest `matches`: the number won, the current streak and the best win."""

    matches: int
    won: int
    streak: int
    best: BestWin | None


def lately(conn: Connection, bot: int) -> Lately:
    """Return the results of a bot's latest tournament matches, over all versions."""
    tables = [list(seats) for _, seats in groupby(_seats(conn, bot), key=lambda seat: seat[0])]
    wins = [_has_won(seats, bot) for seats in tables]
    beaten = [_best(seats, bot) for seats, won in zip(tables, wins, strict=True) if won]
    best = max((seat for seat in beaten if seat), key=lambda seat: seat[4], default=None)
    streak = len(list(takewhile(bool, wins)))
    return Lately(len(tables), sum(wins), streak, best and _win(conn, best))


def _seats(conn: Connection, bot: int) -> Sequence[Seat]:
    latest = numbers(CheckedFilter(bot, None, lost=False, faults=False)).limit(AMONG).subquery()
    seat = match_seats.c
    return conn.execute(
        select(seat.match, seat.bot, seat.rank, seat.forfeited, seat.elo_before)
        .join_from(latest, match_seats, seat.match == latest.c[0])
        .order_by(seat.match.desc(), seat.seat)
    ).all()


def _has_won(seats: Sequence[Seat], bot: int) -> bool:
    """Whether the bot won, alone or shared."""
    return any(seat[1] == bot and seat[2] == 1 and not seat[3] for seat in seats)


def _best(seats: Sequence[Seat], bot: int) -> Seat | None:
    others = [seat for seat in seats if seat[1] != bot and seat[2] > 1 and seat[4] is not None]
    return max(others, key=lambda seat: seat[4], default=None)


def _win(conn: Connection, beaten: Seat) -> BestWin:
    number, bot, *_, elo = beaten
    query = select(matches.c.id, bots.c.name).join_from(matches, bots, bots.c.id == bot)
    match, opponent = conn.execute(query.where(matches.c.number == number)).one()
    return BestWin(match, opponent, elo)
