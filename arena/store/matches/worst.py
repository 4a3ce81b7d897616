"""A bot's worst matches: those with results furthest below expectation.

The expected score follows from the live Elo before the match, which is stored with each seat
(`arena.tournaments.ratings.elo.surplus`). No index has this order, so only a limited number of the
bot's latest matches are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from sqlalchemy import Connection, Row, select

from arena.store.matches.match_filter import CheckedFilter
from arena.store.matches.narrowed import among
from arena.store.tables import match_seats
from arena.tournaments.ratings.elo import surplus

AMONG = 2000  # latest matches to compare

Line = Row[int, int, int, bool, float]  # match, bot, points, forfeited, Elo before


def worst_numbers(conn: Connection, wanted: CheckedFilter) -> list[int]:
    """The numbers of the bot's rated matches among the latest wanted ones, worst first: by score
    less expected score, then by points behind the winner, then newest first.

    Raises InvalidRequest without a bot.
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
    """The bot's result in a match, worse results being lower: score less expected score, and the
    winner's points less its own."""
    points, forfeited = [row[2] for row in seats], [row[3] for row in seats]
    ratings = [row[4] for row in seats]
    own = next(place for place, row in enumerate(seats) if row[1] == bot)
    _, best = min(zip(forfeited, points, strict=True))
    return surplus(own, ratings, points, forfeited), best - points[own]
