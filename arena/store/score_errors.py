"""How sure the scores of a tournament are, from the sums kept for each of its tables of bots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from sqlalchemy import Connection, select

from arena.rating.score_error import SeatSums, plus_minus
from arena.store import tournaments
from arena.store.kept import Kept
from arena.store.tables import table_sums

_kept: Kept[Mapping[int, float]] = Kept(64)


def score_errors(conn: Connection, tournament: int) -> Mapping[int, float]:
    """By player half the width of its score's 95 % interval, kept while it is true.

    Without players that sat in few whole deals. Raises NotFound. Like `luck` it reads a row for
    every table of bots, and may be some seconds old where these are very many.
    """
    found, engine = tournaments.get(conn, tournament), conn.engine

    def again() -> tuple[Hashable, Mapping[int, float]]:
        with engine.connect() as own:
            now = tournaments.get(own, tournament)
            return now.played, _read(own, tournament, now.spec.seats)

    key = engine.url.render_as_string(hide_password=False), tournament
    seats = found.spec.seats
    return _kept.get(key, found.played, lambda: _read(conn, tournament, seats), again)


def _read(conn: Connection, tournament: int, seats: int) -> Mapping[int, float]:
    row = table_sums.c
    query = select(row.seated, row.deals, row.sums).where(row.tournament == tournament)
    shapes: dict[int, list[tuple[bytes, int, bytes]]] = defaultdict(list)
    for seated, deals, sums in conn.execute(query):
        shapes[len(seated)].append((seated, deals, sums))
    return plus_minus([_group(size // 6, seats, rows) for size, rows in shapes.items()])


def _group(size: int, seats: int, rows: Sequence[tuple[bytes, int, bytes]]) -> SeatSums:
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
