"""How sure the scores of a tournament are, from the sums kept for each of its tables of bots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from sqlalchemy import Connection, select

from arena.store.database_cache import DatabaseCache
from arena.store.tables import table_sums
from arena.store.tournaments import tournaments
from arena.tournaments.ratings.score_error import SeatSums, plus_minus

_cached: DatabaseCache[Mapping[int, float]] = DatabaseCache(64)

Shapes = Mapping[int, Sequence[tuple[bytes, int, bytes]]]


def score_errors(conn: Connection, tournament: int) -> Mapping[int, float]:
    """By player half the width of its score's 95% interval, cached while it is true.

    Without players that sat in few whole deals. Raises NotFound. Like `luck` it reads a row for
    every table of bots, and may be some seconds old where these are very many.
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
    """The rows of `table_sums` of a tournament by how many bytes their keys have."""
    row = table_sums.c
    query = select(row.seated, row.deals, row.sums).where(row.tournament == tournament)
    shapes: dict[int, list[tuple[bytes, int, bytes]]] = defaultdict(list)
    for seated, deals, sums in conn.execute(query):
        shapes[len(seated)].append((seated, deals, sums))
    return shapes


def sums_of(size: int, seats: int, rows: Sequence[tuple[bytes, int, bytes]]) -> SeatSums:
    """Rows of tables of so many bots, stored as `luck` says."""
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
