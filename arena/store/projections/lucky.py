"""The input of the luck projections: matches whose luck has become known.

Luck is computed after a match is stored. So these projections do nothing when matches are stored,
and are updated later (`arena.store.luck`). Their data depends only on the stored matches and luck,
not on the order.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from sqlalchemy import Connection, Table, select

from arena.store.matches import luck as match_luck
from arena.store.matches.columns import MatchColumns
from arena.store.matches.read_columns import by_tournament
from arena.store.projections.summed import added_up
from arena.store.tables import tournaments
from arena.store.tournaments.tournaments import decode_spec
from arena.tournaments.formats.spec import CORRECTED
from arena.tournaments.ratings.adjusted import LuckyBlock
from arena.tournaments.ratings.coefficient import parts_of
from arena.tournaments.ratings.deal_blocks import (
    Booleans,
    Bytes,
    DealBlock,
    big_endian,
)
from arena.tournaments.ratings.deal_sums import Integers
from arena.tournaments.ratings.match_luck import matrix

CHUNK = 50_000  # deals processed together
MARK = struct.Struct(">IB")  # luck model and fold or part, at the end of a key

Marked = tuple[bytes, int, int]  # a key, luck model, and fold or part


@dataclass(frozen=True)
class LuckyMatches:
    """M matches with the same number of seats n and known luck: `deals`, `numbers` and model keys
    (M,), `pairs` (M, n(n-1)/2) and `kinds` (M, kinds, n) as in `MatchLuck`."""

    deals: Integers
    numbers: Integers
    models: Integers
    columns: MatchColumns
    pairs: Integers
    kinds: Integers

    @property
    def seats(self) -> int:
        """Number of seats of each match."""
        return int(self.columns.seats[0]) if len(self.numbers) else 0

    def take(self, chosen: Integers) -> LuckyMatches:
        """The matches with these indices, in this order."""
        return LuckyMatches(
            self.deals[chosen],
            self.numbers[chosen],
            self.models[chosen],
            self.columns.take(chosen),
            self.pairs[chosen],
            self.kinds[chosen],
        )

    @property
    def luck(self) -> Integers:
        """(M, n): the luck of each seat, over all its opponents."""
        return np.asarray(matrix(self.pairs, self.seats).sum(axis=2))


@dataclass(frozen=True)
class LuckyDeals:
    """Complete deals with known luck, each by one model: the model keys (D,), and the parts of the
    tournament in which they are (D,)."""

    models: Integers
    parts: Integers
    block: LuckyBlock

    def of(self, chosen: Booleans) -> LuckyDeals:
        """The deals for which `chosen` (D,) is true."""
        block = LuckyBlock(self.block.deals.of(chosen), self.block.luck[chosen])
        return LuckyDeals(self.models[chosen], self.parts[chosen], block)


@dataclass(frozen=True)
class LuckChange:
    """The deals of a tournament that are now complete with all their luck, and their `matches`.
    `corrected`: the luck counts in ratings.

    Deals still in play are not included, because their luck would reveal cards."""

    tournament: int
    game: str
    corrected: bool
    matches: LuckyMatches
    deals: Sequence[LuckyDeals]


class LuckProjection(Protocol):
    """A projection that is also updated when luck becomes known."""

    def take_in(self, conn: Connection, change: LuckChange) -> None:
        """Adds new luck. The caller holds the locks of the tournament and of the game."""


def of_numbers(
    conn: Connection, numbers: Integers, deals: Integers, columns: MatchColumns
) -> LuckyMatches:
    """The matches with stored luck among some matches with the same number of seats."""
    have, models, pairs, kinds = match_luck.columns(conn, numbers, int(columns.seats[0]))
    found = LuckyMatches(deals, numbers, models, columns, pairs, kinds)
    return found.take(np.flatnonzero(have))


def change_of(
    tournament: int, game: str, corrected: bool, found: LuckyMatches, matches_per_deal: int
) -> LuckChange:
    """The complete deals among these matches, as a change. A deal with luck of different models
    keeps its unadjusted scores, because luck of different models is never added up."""
    _, group, counts = np.unique(found.deals, return_inverse=True, return_counts=True)
    whole = found.take(np.flatnonzero(counts[group] == matches_per_deal))
    deals = list(_whole_deals(tournament, whole, matches_per_deal))
    return LuckChange(tournament, game, corrected, whole, deals)


def _whole_deals(
    tournament: int, found: LuckyMatches, matches_per_deal: int
) -> Iterator[LuckyDeals]:
    """The deals of these matches, all of which are complete."""
    order = np.argsort(found.deals, kind="stable")
    for first in range(0, len(order), CHUNK * matches_per_deal):
        rows = order[first : first + CHUNK * matches_per_deal]
        some, shape = found.columns.take(rows), (-1, matches_per_deal, found.seats)
        models = found.models[rows].reshape(-1, matches_per_deal)
        deals = LuckyDeals(
            models[:, 0],
            parts_of(tournament, found.deals[rows[::matches_per_deal]]),
            LuckyBlock(
                DealBlock(
                    some.players.reshape(shape),
                    some.points.reshape(shape),
                    some.forfeited.reshape(shape),
                ),
                found.pairs[rows].reshape(len(rows) // matches_per_deal, matches_per_deal, -1),
            ),
        )
        yield deals.of((models == models[:, :1]).all(axis=1))


def of_game(conn: Connection, game: str) -> Iterator[LuckChange]:
    """The luck of a game, by tournament of any kind."""
    if not match_luck.any_at_all(conn):
        return
    for found in by_tournament(conn, game):
        lucky = of_numbers(conn, found.numbers, found.deals, found.columns)
        if len(lucky.numbers):
            corrected, each = how_it_counts(conn, found.tournament)
            yield change_of(found.tournament, game, corrected and found.counts, lucky, each)


def how_it_counts(conn: Connection, tournament: int) -> tuple[bool, int]:
    """Whether the scores of a tournament are adjusted for luck, and its matches per deal."""
    row = tournaments.c
    query = select(row.spec, row.matches_per_deal, row.kind).where(row.id == tournament)
    spec, each, kind = conn.execute(query).one()
    corrected = kind == "tournament" and decode_spec(spec).luck == CORRECTED
    return corrected, max(int(each), 1)


def stored_tournaments(conn: Connection, game: str, table: Table) -> list[int]:
    """The tournaments of a game with rows in a table of luck."""
    query = select(tournaments.c.id, tournaments.c.spec)
    query = query.where(tournaments.c.id.in_(select(table.c.tournament).distinct()))
    rows = conn.execute(query.order_by(tournaments.c.id)).all()
    return [number for number, spec in rows if decode_spec(spec).game == game]


def marks(models: Integers, numbers: Integers) -> Bytes:
    """Luck models and folds or parts (D,), packed like MARK (D, 5)."""
    return np.hstack([big_endian(models[:, None], ">u4"), numbers[:, None].astype(np.uint8)])


def marked_sums(
    parts: Iterable[tuple[Bytes, Integers]],
) -> Iterator[tuple[Marked, tuple[int, bytes]]]:
    """Adds up sums (D, V) like `added_up`; each key (D, bytes) ends with a mark."""
    for key, line in added_up(parts):
        model, number = MARK.unpack(key[-MARK.size :])
        yield (key[: -MARK.size], model, number), line
