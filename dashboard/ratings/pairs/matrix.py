"""All pairs of a leaderboard, from either side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from arena.base.errors import NotFound
from arena.store.reports import leaderboard
from arena.store.reports.leaderboard import Rating
from arena.tournaments.ratings.elo import expected
from arena.tournaments.ratings.pairs import Pair
from dashboard.ratings.table.query import RatingsQuery

Cells = dict[tuple[int, int], Pair]


@dataclass(frozen=True)
class Duel:
    """Two bots head to head; `pair` is None if they have not met in a complete deal."""

    one: Rating
    other: Rating
    pair: Pair | None

    @property
    def expected(self) -> float | None:
        """The first bot's expected score, from 0 to 1; None if a rating is missing."""
        if self.one.rating is None or self.other.rating is None:
            return None
        return expected(self.one.rating, self.other.rating)


def cells(conn: Connection, table: RatingsQuery, lines: Sequence[Rating]) -> Cells:
    """Return the pairs of these bots that met, by player and other player."""
    pairs: Cells = {}
    for pair in leaderboard.pairs(conn, table.game, table.seats, [line.player for line in lines]):
        pairs[pair.player, pair.other] = pair
        pairs[pair.other, pair.player] = turned(pair)
    return pairs


def turned(pair: Pair) -> Pair:
    """Return the pair from the other player's side."""
    return replace(
        pair,
        player=pair.other,
        other=pair.player,
        observed=1.0 - pair.observed,
        expected=1.0 - pair.expected,
        residual=None if pair.residual is None else 0.0 - pair.residual,
        difference=0.0 - pair.difference,
        stronger=1.0 - pair.stronger,
    )


def key(line: Rating) -> str:
    """Return a bot's name in URLs: NAME for the newest version, else NAME@VERSION."""
    return line.bot if line.latest else f"{line.bot}@{line.version}"


def find(lines: Sequence[Rating], name: str) -> Rating:
    """Return the bot with that key. Raises NotFound."""
    for line in lines:
        if key(line).lower() == name.lower():
            return line
    raise NotFound(f'There is no bot "{name[:80]}" in this leaderboard.')


def duel(conn: Connection, table: RatingsQuery, one: Rating, other: Rating) -> Duel:
    pairs = cells(conn, table, [one, other])
    return Duel(one, other, pairs.get((one.player, other.player)))
