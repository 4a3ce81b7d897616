"""What the store has no query for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, select

from arena.rating.pairs import Pair
from arena.rules import GAMES
from arena.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.store.registry import bots
from arena.store.reports import leaderboard
from arena.store.reports.leaderboard import Rating
from arena.store.tables import ratings as ratings_table


@dataclass(frozen=True)
class VersionRating:
    """A rating table in which a version has a line, and how many matches it has there."""

    player: int
    game: str
    seats: int
    matches: int


class OpponentMet(NamedTuple):
    """Somebody whom a bot met, and how the two stand to each other."""

    line: Rating
    pair: Pair


def places(conn: Connection, bot: str) -> list[tuple[str, int, int, Rating]]:
    """A bot's lines in all rating tables: game, seats, lines in that table, and its own.

    One that is retired has lines only in the tables of all versions, and its newest is meant.
    """
    retired = bots.get(conn, bot).retired is not None
    rows = []
    for game in leaderboard.games(conn):
        for seats in (leaderboard.OVERALL, *leaderboard.seat_counts(conn, game)):
            table = leaderboard.table(conn, game, seats, all_versions=retired)
            own = [line for line in table if line.bot == bot and line.latest]
            rows += [(game, seats, len(table), line) for line in own]
    return rows


def lines_of(conn: Connection, players: Sequence[int]) -> list[VersionRating]:
    """In which rating tables these players are."""
    line = ratings_table.c
    rows = conn.execute(
        select(line.player, line.game, line.seats, line.matches)
        # All of the key is named, so that no row of others is looked at.
        .where(line.game.in_(GAMES), line.player.in_(players))
        .where(line.seats.in_((leaderboard.OVERALL, *range(FEWEST_SEATS, MOST_SEATS + 1))))
    )
    return [VersionRating(*row) for row in rows]


def rated(
    conn: Connection, games: Iterable[str], players: Collection[int]
) -> dict[tuple[str, int], Rating]:
    """The lines of these players in the tables for any number of seats, by game and player."""
    return {
        (game, player): line
        for game in games
        for player, line in leaderboard.by_player(conn, game).items()
        if player in players
    }


def opponents(conn: Connection, game: str, seats: int, player: int) -> list[OpponentMet]:
    """Whom a player met in complete deals, the best rated first."""
    table = leaderboard.table(conn, game, seats, all_versions=True)
    others = {line.player: line for line in table if line.player != player}
    pairs = leaderboard.pairs_of(conn, game, seats, player, list(others))
    return [OpponentMet(others[pair.other], pair) for pair in pairs]


def line_in(conn: Connection, game: str, seats: int, player: int) -> Rating | None:
    """A player's line in the table of all versions."""
    return leaderboard.by_player(conn, game, seats).get(player)
