"""Sums over the deals of each table of bots in a tournament.

A deal counts once all its matches are stored. `arena.tournaments.ratings.variance` defines the
sums, and `arena.store.reports.variance` uses them. The players at a table are stored in
four bytes each and two for their matches in a deal, big-endian; the sums in eight bytes each,
little-endian.
"""

import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
from sqlalchemy import Connection

from arena.store.matches import read_columns
from arena.store.projections.projection import Change, differing
from arena.store.projections.summed import Packed, SummedTable, added_up
from arena.store.tables import table_sums
from arena.tournaments.ratings.deal_blocks import (
    Bytes,
    DealBlock,
    Rotations,
    big_endian,
    rotations,
)
from arena.tournaments.ratings.deal_sums import Integers
from arena.tournaments.ratings.variance import Seated, TableSums, summarise

SUMMED = SummedTable(table_sums)


class TableSumsProjection:
    """By tournament and table of bots, sums over complete deals."""

    name = "table_sums"
    version = 1

    def apply(self, conn: Connection, change: Change) -> None:
        """Adds the deals that are now complete."""
        if new := add_up(change.deals):
            SUMMED.add(conn, change.tournament, new)

    def rebuild(self, conn: Connection, game: str) -> None:
        for tournament, blocks in read_columns.complete_deals(conn, game):
            SUMMED.clear(conn, tournament)
            SUMMED.store(conn, tournament, add_up(blocks))

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        wrong = sum(
            differing(add_up(blocks), SUMMED.stored(conn, tournament))
            for tournament, blocks in read_columns.complete_deals(conn, game)
        )
        if wrong:
            yield f"the sums of {wrong:,} tables of tournaments differ"


def add_up(blocks: Iterable[DealBlock]) -> Packed:
    shapes: dict[tuple[int, int], list[tuple[Bytes, Integers]]] = defaultdict(list)
    for block in blocks:
        alike = block.rotations
        if alike.any():
            rotated = rotations(block.of(alike))
            shapes[rotated.players.shape[1], rotated.points.shape[1]].append(_rotated(rotated))
        for deal in block.of(~alike).deals():
            seated, sums = summarise(deal)
            shapes[len(seated), len(sums.points)].append(_single(seated, sums))
    total: Packed = {}
    for parts in shapes.values():
        total |= {(key,): line for key, line in added_up(parts)}
    return total


def _rotated(deals: Rotations) -> tuple[Bytes, Integers]:
    """Stored tables, and sums, of deals whose matches have the same players each."""
    played = np.full(deals.players.shape, deals.matches)
    keys = np.hstack([big_endian(deals.players, ">u4"), big_endian(played, ">u2")])
    return keys, np.hstack([deals.points, deals.halves, deals.halves**2, deals.match_squares])


def _single(seated: Seated, sums: TableSums) -> tuple[Bytes, Integers]:
    players, played = zip(*seated, strict=True)
    key = struct.pack(f">{len(seated)}I{len(seated)}H", *players, *played)
    numbers = (*sums.points, *sums.halves, *sums.deal_squares, *sums.match_squares)
    return np.frombuffer(key, np.uint8)[np.newaxis], np.array([numbers])
