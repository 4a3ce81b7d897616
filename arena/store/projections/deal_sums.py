"""The sums over deals that ratings with error bars follow from, kept up to date deal by deal.

A deal counts as soon as all its matches are stored, in the transaction that stores the last of
them; until then, and for good where a cancelled tournament leaves it incomplete, it does not.
Order does not matter, so nothing waits for its turn as in the live Elo. What the sums are:
`arena.rating.deal_sums`.

A composition is stored as its players, four bytes each, and its meetings, two bytes for each
pair, all big-endian; the sums as eight bytes each, little-endian.
"""

from __future__ import annotations

import secrets
import struct
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, delete, select, update

from arena.rating.deal_sums import Composition, DealGroup, Sums, add_to, summarise
from arena.store.matches import complete_deals
from arena.store.projections.elo import OVERALL
from arena.store.projections.projection import Change
from arena.store.tables import deal_sums, rated_games
from arena.store.upsert import upsert

DealSums = dict[Composition, Sums]

CHUNK = 1000  # rows written at a time


class DealSumsProjection:
    """By who met whom, sums over complete deals."""

    name = "deal_sums"
    version = 1

    def apply(self, conn: Connection, change: Change) -> None:
        """Adds deals that have just become complete."""
        new: DealSums = {}
        for deal in change.deals:
            add_to(new, *summarise(deal))
        if not new:
            return
        for composition, sums in _load(conn, change.game, new).items():
            new[composition].add(sums)
        _store(conn, change.game, new)

    def rebuild(self, conn: Connection, game: str) -> None:
        """Adds all deals up again."""
        sums = recount(conn, game)
        conn.execute(delete(deal_sums).where(deal_sums.c.game == game))
        _store(conn, game, sums)

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        """The sums of how many compositions differ."""
        expected, actual = recount(conn, game), stored(conn, game)
        wrong = sum(expected.get(key) != actual.get(key) for key in expected.keys() | actual.keys())
        if wrong:
            yield f"the sums of {wrong:,} compositions differ"


def recount(conn: Connection, game: str) -> DealSums:
    """The sums of a game as they follow from its stored matches; changes nothing."""
    sums: DealSums = {}
    for _, deals in complete_deals.of_game(conn, game):
        for deal in deals:
            add_to(sums, *summarise(deal))
    return sums


def stored(conn: Connection, game: str) -> DealSums:
    """The sums of a game as they are stored."""
    rows = conn.execute(select(deal_sums).where(deal_sums.c.game == game))
    return dict(_read_sums(row) for row in rows)


def version(conn: Connection, game: str) -> int:
    """A number that is another one whenever the sums of a game have changed; 0 without any."""
    query = select(rated_games.c.deals_version).where(rated_games.c.game == game)
    return conn.scalar(query) or 0


def new_version() -> int:
    """Drawn, not counted: a database that replaces an older one is not mistaken for it."""
    return 1 + secrets.randbits(62)


def groups(conn: Connection, game: str, seats: int = OVERALL) -> list[DealGroup]:
    """The sums for tables of so many seats, or (0) of any, as `bradley_terry.fit` takes them."""
    row = deal_sums.c
    query = select(row.seats, row.size, row.composition, row.deals, row.sums)
    query = query.where(row.game == game).order_by(row.seats, row.size, row.composition)
    rows = conn.execute(query if seats == OVERALL else query.where(row.seats == seats)).all()
    return [
        _group(at, size, [(row.composition, row.deals, row.sums) for row in lines])
        for (at, size), lines in groupby(rows, key=itemgetter(0, 1))
    ]


def _load(conn: Connection, game: str, compositions: Collection[Composition]) -> DealSums:
    """The stored sums of these compositions, as far as there are any."""
    row = deal_sums.c
    keys: dict[tuple[int, int], list[bytes]] = defaultdict(list)
    for composition in compositions:
        shape = composition.seats, len(composition.players)
        keys[shape].append(_pack_composition(composition))
    sums: DealSums = {}
    for (seats, size), packed in keys.items():
        rows = conn.execute(
            select(deal_sums)
            .where(row.game == game, row.seats == seats, row.size == size)
            .where(row.composition.in_(packed))
        )
        sums.update(_read_sums(line) for line in rows)
    return sums


def _store(conn: Connection, game: str, sums: Mapping[Composition, Sums]) -> None:
    rows = [
        {
            "game": game,
            "seats": composition.seats,
            "size": len(composition.players),
            "composition": _pack_composition(composition),
            "deals": line.deals,
            "sums": struct.pack(f"<{len(line.values)}q", *line.values),
        }
        for composition, line in sums.items()
    ]
    for first in range(0, len(rows), CHUNK):
        conn.execute(upsert(conn, deal_sums), rows[first : first + CHUNK])
    row = update(rated_games).where(rated_games.c.game == game)
    conn.execute(row.values(deals_version=new_version()))


def _pack_composition(composition: Composition) -> bytes:
    players, meetings = composition.players, composition.meetings
    return struct.pack(f">{len(players)}I{len(meetings)}H", *players, *meetings)


def _read_sums(row: Row[Any]) -> tuple[Composition, Sums]:
    size = row.size
    numbers = struct.unpack(f">{size}I{size * (size - 1) // 2}H", row.composition)
    values = struct.unpack(f"<{len(row.sums) // 8}q", row.sums)
    return Composition(row.seats, numbers[:size], numbers[size:]), Sums(row.deals, list(values))


def _group(seats: int, size: int, rows: list[tuple[bytes, int, bytes]]) -> DealGroup:
    layout = np.dtype([("players", ">u4", (size,)), ("meetings", ">u2", (size * (size - 1) // 2,))])
    packed = np.frombuffer(b"".join(row[0] for row in rows), dtype=layout)
    values = np.frombuffer(b"".join(row[2] for row in rows), dtype="<i8")
    return DealGroup(
        seats,
        packed["players"].astype(np.int64),
        packed["meetings"].astype(np.int64),
        np.array([row[1] for row in rows], dtype=np.int64),
        values.reshape(len(rows), -1).astype(np.int64),
    )
