"""How a bot has done lately: wins in a row, and the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

from sqlalchemy import Connection, Row, select

from arena.store.matches.wanted import Wanted, numbers
from arena.store.tables import bots, match_seats, matches

AMONG = 200  # the latest rated matches that are looked at

Seat = Row[int, str, int, str, int, bool, float]  # number, match, bot, name, rank, forfeited, Elo


class BestWin(NamedTuple):
    """The strongest opponent that was beaten, by their live Elo before the match."""

    match: str
    opponent: str
    elo: float


class Lately(NamedTuple):
    """What the latest matches tell: wins in a row up to now, of so many looked at."""

    matches: int
    won: int
    streak: int
    best: BestWin | None


def lately(conn: Connection, bot: int) -> Lately:
    """Of the latest rated matches of a bot, in all its versions."""
    tables = [list(seats) for _, seats in groupby(_seats(conn, bot), key=lambda seat: seat[0])]
    wins = [_has_won(seats, bot) for seats in tables]
    beaten = [_best(seats, bot) for seats, won in zip(tables, wins, strict=True) if won]
    best = max((win for win in beaten if win), key=lambda win: win.elo, default=None)
    return Lately(len(tables), sum(wins), len(list(takewhile(bool, wins))), best)


def _seats(conn: Connection, bot: int) -> Sequence[Seat]:
    latest = numbers(Wanted(bot, None, lost=False, faults=False)).limit(AMONG).subquery()
    seat = match_seats.c
    return conn.execute(
        select(seat.match, matches.c.id, seat.bot, bots.c.name, seat.rank, seat.forfeited)
        .add_columns(seat.elo_before)
        .join_from(latest, match_seats, seat.match == latest.c[0])
        .join(matches, matches.c.number == seat.match)
        .join(bots, bots.c.id == seat.bot)
        .order_by(seat.match.desc(), seat.seat)
    ).all()


def _has_won(seats: Sequence[Seat], bot: int) -> bool:
    """Alone or shared."""
    return any(seat[2] == bot and seat[4] == 1 and not seat[5] for seat in seats)


def _best(seats: Sequence[Seat], bot: int) -> BestWin | None:
    others = [seat for seat in seats if seat[2] != bot and seat[4] > 1 and seat[6] is not None]
    best = max(others, key=lambda seat: seat[6], default=None)
    return BestWin(best[1], best[3], best[6]) if best else None
