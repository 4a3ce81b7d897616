"""What the store has no query for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, select

from arena.rating.pairs import Pair
from arena.rating.swing import half_width
from arena.rules import GAMES
from arena.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.store import bots, ratings
from arena.store.ratings import Rating
from arena.store.tables import ratings as ratings_table


@dataclass(frozen=True)
class Line:
    """What a version has in a rating table; `swing` is half the 95 % band around its Elo."""

    player: int
    game: str
    seats: int
    elo: float
    matches: int
    swing: float


class Opponent(NamedTuple):
    """Somebody whom a bot met, and how the two stand to each other."""

    line: Rating
    pair: Pair


def places(conn: Connection, bot: str) -> list[tuple[str, int, int, Rating]]:
    """A bot's lines in all rating tables: game, seats, lines in that table, and its own.

    One that is retired has lines only in the tables of all versions, and its newest is meant.
    """
    retired = bots.get(conn, bot).retired is not None
    found = []
    for game in ratings.games(conn):
        for seats in (ratings.OVERALL, *ratings.seat_counts(conn, game)):
            table = ratings.table(conn, game, seats, all_versions=retired)
            own = [line for line in table if line.bot == bot and line.latest]
            found += [(game, seats, len(table), line) for line in own]
    return found


def lines_of(conn: Connection, players: Sequence[int]) -> list[Line]:
    """What these players have in all rating tables."""
    line = ratings_table.c
    rows = conn.execute(
        select(line.player, line.game, line.seats, line.elo, line.matches, line.variance)
        # All of the key is named, so that no row of others is looked at.
        .where(line.game.in_(GAMES), line.player.in_(players))
        .where(line.seats.in_((ratings.OVERALL, *range(FEWEST_SEATS, MOST_SEATS + 1))))
    )
    return [
        Line(player, game, seats, elo, count, half_width(variance))
        for player, game, seats, elo, count, variance in rows
    ]


def opponents(conn: Connection, game: str, seats: int, player: int) -> list[Opponent]:
    """Whom a player met in complete deals, the best rated first."""
    table = ratings.table(conn, game, seats, all_versions=True)
    others = {line.player: line for line in table if line.player != player}
    found = ratings.pairs_of(conn, game, seats, player, list(others))
    return [Opponent(others[pair.other], pair) for pair in found]


def line_in(conn: Connection, game: str, seats: int, player: int) -> Rating | None:
    """A player's line in the table of all versions."""
    table = ratings.table(conn, game, seats, all_versions=True)
    return next((line for line in table if line.player == player), None)
