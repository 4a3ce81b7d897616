"""Queries for a bot's page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select

from arena.games.rules import GAMES
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.store.registry.bots import RegisteredBot
from arena.store.reports import leaderboard
from arena.store.reports.leaderboard import Rating
from arena.store.tables import ratings as ratings_table
from arena.tournaments.ratings.pairs import Pair

_line = ratings_table.c
# The condition names all columns of the key, so that only matching rows are read.
LINES = select(_line.player, _line.game, _line.seats, _line.matches).where(
    _line.game.in_(GAMES),
    _line.player.in_(bindparam("players", expanding=True)),
    _line.seats.in_((leaderboard.OVERALL, *range(FEWEST_SEATS, MOST_SEATS + 1))),
)


@dataclass(frozen=True)
class VersionRating:
    """A version's line in a leaderboard, with its number of matches there."""

    player: int
    game: str
    seats: int
    matches: int


RIVALS = 5


class OpponentMet(NamedTuple):
    """An opponent of a bot, and their results against each other."""

    line: Rating
    pair: Pair


def places(conn: Connection, bot: RegisteredBot) -> list[tuple[str, int, int, Rating]]:
    """Return a bot's lines in all leaderboards: game, seats, number of lines, and its own line.

    For a retired bot, these are the lines of its newest version in the tables of all versions.
    """
    retired = bot.retired is not None
    rows = []
    for game in leaderboard.games(conn):
        for seats in (leaderboard.OVERALL, *leaderboard.seat_counts(conn, game)):
            table = leaderboard.table(conn, game, seats, all_versions=retired)
            own = [line for line in table if line.bot == bot.name and line.latest]
            rows += [(game, seats, len(table), line) for line in own]
    return rows


def lines_of(conn: Connection, players: Sequence[int]) -> list[VersionRating]:
    """Return the leaderboard lines of these players."""
    return [VersionRating(*row) for row in conn.execute(LINES, {"players": list(players)})]


def rated(
    conn: Connection, games: Iterable[str], players: Collection[int]
) -> dict[tuple[str, int], Rating]:
    """Return the lines of these players over all numbers of seats, by game and player."""
    return {
        (game, player): line
        for game in games
        for player, line in leaderboard.by_player(conn, game).items()
        if player in players
    }


def opponents(
    conn: Connection, game: str, seats: int, player: int, lines: Mapping[int, Rating]
) -> list[OpponentMet]:
    """Return a player's opponents in complete deals, in the order of `lines`."""
    others = [other for other in lines if other != player]
    pairs = leaderboard.pairs_of(conn, game, seats, player, others)
    return [OpponentMet(lines[pair.other], pair) for pair in pairs]


def rivals(met: Sequence[OpponentMet]) -> list[OpponentMet]:
    """Return the opponents nearest in rating, nearest first."""
    return sorted(met, key=lambda each: abs(each.pair.difference))[:RIVALS]
