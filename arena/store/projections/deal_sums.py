"""The sums over deals from which ratings are computed, updated deal by deal.

A deal counts once all its matches are stored, in the transaction that stores the last one. If a
cancelled tournament leaves it incomplete, it never counts. Unlike live Elo, the sums do not depend
on the order of matches. `arena.tournaments.ratings.deal_sums` defines them.

A composition is stored as its players, four bytes each, and its meetings, two bytes for each pair,
all big-endian; the sums as eight bytes each, little-endian.
"""

import secrets
import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np
from sqlalchemy import Connection, bindparam, select, update

from arena.store.matches import read_columns
from arena.store.projections.elo_tables import OVERALL
from arena.store.projections.projection import Change, differing
from arena.store.projections.summed import Packed, SummedTable, added_up
from arena.store.tables import deal_sums, rated_games
from arena.tournaments.ratings.deal_blocks import (
    Bytes,
    DealBlock,
    Rotations,
    big_endian,
    rotations,
)
from arena.tournaments.ratings.deal_sums import Composition, DealGroup, Integers, Sums, summarise

SUMMED = SummedTable(deal_sums, shape=2)  # seats and players, then the composition
VERSION = select(rated_games.c.deals_version).where(rated_games.c.game == bindparam("of"))


class DealSumsProjection:
    """By composition, sums over complete deals."""

    name = "deal_sums"
    version = 1

    def apply(self, conn: Connection, change: Change) -> None:
        """Adds the deals that are now complete."""
        if new := add_up(change.deals):
            SUMMED.add(conn, change.game, new)
            note_change(conn, change.game)

    def rebuild(self, conn: Connection, game: str) -> None:
        sums = _recount(conn, game)
        SUMMED.clear(conn, game)
        SUMMED.store(conn, game, sums)
        note_change(conn, game)

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        if wrong := differing(_recount(conn, game), SUMMED.stored(conn, game)):
            yield f"the sums of {wrong:,} compositions differ"


def add_up(blocks: Iterable[DealBlock]) -> Packed:
    shapes: dict[tuple[int, int], list[tuple[Bytes, Integers]]] = defaultdict(list)
    for block in blocks:
        alike = block.rotations
        if alike.any():
            rotated = rotations(block.of(alike))
            size = rotated.players.shape[1]
            shapes[size, size].append(_rotated(rotated))
        for deal in block.of(~alike).deals():
            composition, sums = summarise(deal)
            shapes[composition.seats, len(composition.players)].append(_single(composition, sums))
    total: Packed = {}
    for shape, parts in shapes.items():
        total |= {(*shape, key): line for key, line in added_up(parts)}
    return total


def _rotated(deals: Rotations) -> tuple[Bytes, Integers]:
    """Stored compositions, and sums, of deals whose matches have the same players each."""
    meetings = np.full(deals.won.shape, deals.matches)
    keys = np.hstack([big_endian(deals.players, ">u4"), big_endian(meetings, ">u2")])
    return keys, np.hstack([deals.won, deals.won**2, deals.products])


def _single(composition: Composition, sums: Sums) -> tuple[Bytes, Integers]:
    key = np.frombuffer(pack_composition(composition), np.uint8)
    return key[np.newaxis], np.array([sums.values])


def _recount(conn: Connection, game: str) -> Packed:
    """The sums of a game as computed from its stored matches; changes nothing."""
    tournaments = read_columns.complete_deals(conn, game)
    return add_up(block for _, blocks in tournaments for block in blocks)


def version(conn: Connection, game: str) -> int:
    """A number that changes with the sums of a game; 0 if there are none."""
    return conn.scalar(VERSION, {"of": game}) or 0


def new_version() -> int:
    """A random version, so that a database is not mistaken for an older one that it replaces."""
    return 1 + secrets.randbits(62)


def groups(conn: Connection, game: str, seats: int = OVERALL) -> list[DealGroup]:
    """The sums for tables of `seats` seats, or (0) of all, as input of `bradley_terry.fit`."""
    return [group for group, _ in keyed_groups(conn, game, seats)]


def keyed_groups(conn: Connection, game: str, seats: int) -> list[tuple[DealGroup, list[bytes]]]:
    """Like `groups`, with the stored compositions of each group."""
    row = deal_sums.c
    query = select(row.seats, row.size, row.composition, row.deals, row.sums)
    query = query.where(row.game == game).order_by(row.seats, row.size, row.composition)
    query = query if seats == OVERALL else query.where(row.seats == seats)
    with conn.execute(query) as result:
        # The driver's rows, without conversion: there may be hundreds of thousands.
        rows: Sequence[tuple[int, int, bytes, int, bytes]] = result.cursor.fetchall()
    found = []
    for (at, size), lines in groupby(rows, key=itemgetter(0, 1)):
        some = list(lines)
        found.append((_group(at, size, some), [bytes(line[2]) for line in some]))
    return found


def note_change(conn: Connection, game: str) -> None:
    """Changes the version of a game's sums, after they or the effect of luck on them changed."""
    row = update(rated_games).where(rated_games.c.game == game)
    conn.execute(row.values(deals_version=new_version()))


def pack_composition(composition: Composition) -> bytes:
    """A composition as it is stored."""
    players, meetings = composition.players, composition.meetings
    return struct.pack(f">{len(players)}I{len(meetings)}H", *players, *meetings)


def _group(seats: int, size: int, rows: Sequence[tuple[int, int, bytes, int, bytes]]) -> DealGroup:
    layout = np.dtype([("players", ">u4", (size,)), ("meetings", ">u2", (size * (size - 1) // 2,))])
    packed = np.frombuffer(b"".join([row[2] for row in rows]), dtype=layout)
    values = np.frombuffer(b"".join([row[4] for row in rows]), dtype="<i8")
    return DealGroup(
        seats,
        packed["players"].astype(np.int64, order="F"),
        packed["meetings"].astype(np.int64, order="F"),
        np.array([row[3] for row in rows], dtype=np.int64),
        values.reshape(len(rows), -1).astype(np.int64, order="F"),
    )
