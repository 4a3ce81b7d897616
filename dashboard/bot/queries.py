"""What the store has no query for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from sqlalchemy import Connection, select

from arena.rating.pairs import Pair
from arena.rating.swing import half_width
from arena.rules import GAMES
from arena.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.store import bots, latencies, ratings
from arena.store.latencies import Latencies
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
    found = ratings.pairs(conn, game, seats, [player, *others])
    # Those of the first player come first, and none of the many others is worked out.
    return [
        Opponent(others[pair.other], pair)
        for pair in takewhile(lambda pair: pair.player == player, found)
    ]


def answers_of(conn: Connection, players: Sequence[int]) -> dict[int, dict[str, Latencies]]:
    """For each of these players how fast it answered, by game."""
    found: dict[int, dict[str, Latencies]] = {}
    for player in players:
        for game in GAMES:
            if known := latencies.of_player(conn, game, player):
                found.setdefault(player, {})[game] = known
    return found
