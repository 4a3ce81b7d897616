"""The uncertainty of scores in a tournament, from the sums for each of its tables of bots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from sqlalchemy import Connection, select

from arena.store.cache import DatabaseCache
from arena.store.tables import table_sums
from arena.store.tournaments import tournaments
from arena.tournaments.ratings.score_error import SeatSums, plus_minus

_cached: DatabaseCache[Mapping[int, float]] = DatabaseCache(64)

Shapes = Mapping[int, Sequence[tuple[bytes, int, bytes]]]


def score_errors(conn: Connection, tournament: int) -> Mapping[int, float]:
    """By player, half the width of its score's 95% interval, cached.

    Players with few complete deals are left out. Raises NotFound. Like `variance_reduction.luck`,
    this reads a row per table of bots, and may be a few seconds old if there are many.
    """
    return _cached.get(
        conn,
        (tournament,),
        lambda now: tournaments.played(now, tournament),
        lambda now: (tournaments.get(now, tournament).spec.seats, shapes(now, tournament)),
        lambda loaded: _errors(*loaded),
    )


def _errors(seats: int, shapes: Shapes) -> Mapping[int, float]:
    return plus_minus([sums_of(size // 6, seats, rows) for size, rows in shapes.items()])


def shapes(conn: Connection, tournament: int) -> Shapes:
    """The rows of `table_sums` of a tournament, by length of their keys."""
    row = table_sums.c
    query = select(row.seated, row.deals, row.sums).where(row.tournament == tournament)
    shapes: dict[int, list[tuple[bytes, int, bytes]]] = defaultdict(list)
    for seated, deals, sums in conn.execute(query):
        shapes[len(seated)].append((seated, deals, sums))
    return shapes


def sums_of(size: int, seats: int, rows: Sequence[tuple[bytes, int, bytes]]) -> SeatSums:
    """The rows of tables of `size` bots, stored as in `projections.table_sums`, as arrays."""
    seated = np.dtype([("players", ">u4", (size,)), ("played", ">u2", (size,))])
    keys = np.frombuffer(b"".join(row[0] for row in rows), dtype=seated)
    numbers = np.frombuffer(b"".join(row[2] for row in rows), dtype="<i8").reshape(len(rows), -1)
    halves, squares = np.split(numbers[:, seats : seats + 2 * size], 2, axis=1)
    return SeatSums(
        keys["players"].astype(np.int64),
        2 * (seats - 1) * keys["played"].astype(np.int64),
        np.array([row[1] for row in rows], dtype=np.int64),
        halves.astype(np.int64),
        squares.astype(np.int64),
    )
