"""A bot's worst matches: those that went furthest below what was to be expected of it.

Every seat is stored with the live Elo it had before the match, and what this leads to expect is
compared with how it ended (`arena.tournaments.ratings.elo.surplus`). No index could have that
order, so only the latest matches are looked through: a bounded number, however many a bot has
played.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from sqlalchemy import Connection, Row, select

from arena.store.matches.match_filter import CheckedFilter
from arena.store.matches.narrowed import among
from arena.store.tables import match_seats
from arena.tournaments.ratings.elo import surplus

AMONG = 2000  # the latest matches that are looked through

Line = Row[int, int, int, bool, float]  # match, bot, points, forfeited, Elo before


def worst_numbers(conn: Connection, wanted: CheckedFilter) -> list[int]:
    """Numbers of the rated ones among the latest wanted matches of the bot, the worst first: by
    score less expected score, then by points behind the winner, then the newest.

    Raises InvalidRequest where it is said of no bot.
    """
    wanted.of_a_bot(worst=True)
    latest = among(conn, wanted, AMONG).subquery()
    seat = match_seats.c
    rows = conn.execute(
        select(seat.match, seat.bot, seat.points, seat.forfeited, seat.elo_before)
        .join_from(latest, match_seats, seat.match == latest.c[0])
        .where(seat.elo_before.is_not(None))
        .order_by(seat.match.desc(), seat.seat)
    ).all()
    found = [
        (*_outcome(list(seats), wanted.bot), -number, number)
        for number, seats in groupby(rows, key=_match_of)
    ]
    return [number for *_, number in sorted(found)]


def _match_of(row: Line) -> int:
    return row[0]


def _outcome(seats: Sequence[Line], bot: int | None) -> tuple[float, int]:
    """How a match went for the bot, less being worse: score less expected score, and the winner's
    points less its own."""
    points, forfeited = [row[2] for row in seats], [row[3] for row in seats]
    ratings = [row[4] for row in seats]
    own = next(place for place, row in enumerate(seats) if row[1] == bot)
    _, best = min(zip(forfeited, points, strict=True))
    return surplus(own, ratings, points, forfeited), best - points[own]
