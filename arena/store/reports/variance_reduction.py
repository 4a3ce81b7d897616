"""The effect of cards and seats in a tournament: the variance reduction by duplicate deals.

It is computed from the sums of its tables (`arena.store.projections.table_sums`), with the formulas
of `arena.tournaments.ratings.variance`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from sqlalchemy import Connection, select

from arena.store.cache import DatabaseCache
from arena.store.tables import table_sums
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import format_of
from arena.tournaments.ratings.variance import Luck, TableGroup
from arena.tournaments.ratings.variance import luck as luck_of

_cached: DatabaseCache[Luck] = DatabaseCache(64)

Shapes = Mapping[tuple[int, int], Sequence[tuple[bytes, int, bytes]]]


def luck(conn: Connection, tournament: int) -> Luck:
    """The variance reduction of a tournament, cached. Raises NotFound.

    Reads a row per table of bots, not per match. In a running tournament with many tables, it may
    be a few seconds old (see `arena.store.cache`).
    """
    return _cached.get(
        conn,
        (tournament,),
        lambda now: tournaments.played(now, tournament),
        lambda now: (_fixed(tournaments.get(now, tournament)), _shapes(now, tournament)),
        lambda loaded: _luck(*loaded),
    )


def _luck(fixed: Collection[int], shapes: Shapes) -> Luck:
    return luck_of([_group(*shape, rows, fixed) for shape, rows in shapes.items()])


def _shapes(conn: Connection, tournament: int) -> Shapes:
    """The rows of a tournament, by length of their keys and sums."""
    row = table_sums.c
    query = select(row.seated, row.deals, row.sums).where(row.tournament == tournament)
    shapes: dict[tuple[int, int], list[tuple[bytes, int, bytes]]] = defaultdict(list)
    for seated, deals, sums in conn.execute(query):
        shapes[len(seated), len(sums)].append((seated, deals, sums))
    return shapes


def _fixed(tournament: Tournament) -> list[int]:
    """The players that keep their seats in a deal."""
    spec = tournament.spec
    return [tournament.players[entrant] for entrant in format_of(spec.format).fixed(spec)]


def _group(
    key: int, length: int, rows: Sequence[tuple[bytes, int, bytes]], fixed: Collection[int]
) -> TableGroup:
    """The rows with keys and sums of these lengths, as arrays."""
    size = key // 6
    seated = np.dtype([("players", ">u4", (size,)), ("played", ">u2", (size,))])
    keys = np.frombuffer(b"".join(row[0] for row in rows), dtype=seated)
    numbers = np.frombuffer(b"".join(row[2] for row in rows), dtype="<i8")
    values = numbers.reshape(len(rows), length // 8).astype(np.int64)
    first = values.shape[1] - 3 * size
    points, halves, deal_squares, match_squares = np.split(
        values, [first, first + size, first + 2 * size], axis=1
    )
    deals = np.array([row[1] for row in rows], dtype=np.int64)
    return TableGroup(
        keys["played"].astype(np.int64),
        ~np.isin(keys["players"], [*fixed]),
        deals,
        points,
        halves,
        deal_squares,
        match_squares,
    )
