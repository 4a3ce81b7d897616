"""Live Elo tables and histories. How they come about: `rate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, select

from arena.store.places import shared_ranks
from arena.store.rate import OVERALL, rebuild
from arena.store.tables import bots, match_seats, matches, players, ratings

__all__ = [
    "OVERALL",
    "Rating",
    "RatingPoint",
    "games",
    "history",
    "rebuild",
    "seat_counts",
    "table",
]


@dataclass(frozen=True, slots=True)
class Rating:
    """A line of a rating table: one version of a bot."""

    rank: int
    player: int
    bot: str
    version: str
    elo: float
    matches: int  # rated
    wins: int  # alone or shared
    shared_wins: int
    mean_points: float
    faults: int


class RatingPoint(NamedTuple):
    """A player's Elo after the match that was rated as the game's number `rated_seq`."""

    rated_seq: int
    finished: float
    elo: float


def table(conn: Connection, game: str, seats: int = OVERALL) -> list[Rating]:
    """Who has a rating in a game, at tables of so many seats or (0) of any, best first.

    Order: higher Elo, then name; equal Elo shares a rank.
    """
    line = ratings.c
    rows = conn.execute(
        select(ratings, bots.c.name, players.c.version)
        .join_from(ratings, players)
        .join(bots)
        .where(line.game == game, line.seats == seats)
        .order_by(line.elo.desc(), bots.c.name_key, line.player)
    ).all()
    return [
        Rating(
            rank=rank,
            player=row.player,
            bot=row.name,
            version=row.version,
            elo=row.elo,
            matches=row.matches,
            wins=row.wins,
            shared_wins=row.shared,
            mean_points=row.points / row.matches,
            faults=row.faults,
        )
        for rank, row in zip(shared_ranks([row.elo for row in rows]), rows, strict=True)
    ]


def history(conn: Connection, player: int, game: str) -> list[RatingPoint]:
    """A player's overall Elo after each of his rated matches of a game, oldest first."""
    seat = match_seats.c
    bot = select(players.c.bot).where(players.c.id == player).scalar_subquery()
    rows = conn.execute(
        select(matches.c.rated_seq, matches.c.finished, seat.elo_before + seat.elo_change)
        .join_from(match_seats, matches)
        .where(seat.bot == bot, seat.player == player)
        .where(matches.c.game == game, matches.c.rated_seq.is_not(None))
        .order_by(matches.c.rated_seq)
    )
    return [RatingPoint(*row) for row in rows]


def games(conn: Connection) -> list[str]:
    """The games that have ratings, by name."""
    return list(conn.scalars(select(ratings.c.game).distinct().order_by(ratings.c.game)))


def seat_counts(conn: Connection, game: str) -> list[int]:
    """The numbers of seats that a game has rating tables for, without the overall one."""
    seats = ratings.c.seats
    query = select(seats).where(ratings.c.game == game, seats != OVERALL).distinct()
    return list(conn.scalars(query.order_by(seats)))
