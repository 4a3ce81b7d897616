"""All pairs of a rating table, from either side."""

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
    """Two bots head to head; `pair` is None where they have not met in a complete deal.

    `expected` is the score that the ratings lead the first to expect, None where one has none.
    """

    one: Rating
    other: Rating
    pair: Pair | None

    @property
    def expected(self) -> float | None:
        """From 0 to 1."""
        if self.one.rating is None or self.other.rating is None:
            return None
        return expected(self.one.rating, self.other.rating)


def cells(conn: Connection, table: RatingsQuery, lines: Sequence[Rating]) -> Cells:
    """The pairs among these bots that met, by player and other player."""
    pairs: Cells = {}
    for pair in leaderboard.pairs(conn, table.game, table.seats, [line.player for line in lines]):
        pairs[pair.player, pair.other] = pair
        pairs[pair.other, pair.player] = turned(pair)
    return pairs


def turned(pair: Pair) -> Pair:
    """The same pair as the other one sees it."""
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
    """What names a bot of a table in an address: older versions are told apart."""
    return line.bot if line.latest else f"{line.bot}@{line.version}"


def find(lines: Sequence[Rating], name: str) -> Rating:
    """The bot with that key. Raises NotFound."""
    for line in lines:
        if key(line).lower() == name.lower():
            return line
    raise NotFound(f'There is no bot "{name[:80]}" in this rating table.')


def duel(conn: Connection, table: RatingsQuery, one: Rating, other: Rating) -> Duel:
    """How the two stand to each other."""
    pairs = cells(conn, table, [one, other])
    return Duel(one, other, pairs.get((one.player, other.player)))
