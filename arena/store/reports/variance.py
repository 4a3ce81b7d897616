"""The variance of results in a tournament: the uncertainty of scores, and how much the cards and
seats contribute, which is the variance reduction by duplicate deals.

Both are computed from the sums of its tables (`arena.store.projections.table_sums`), with the
formulas of `arena.tournaments.ratings.score_error` and `arena.tournaments.ratings.variance`. They
read a row per table of bots, not per match. In a running tournament with many tables, they may be a
few seconds old (see `arena.store.cache`).
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from arena.store.cache import DatabaseCache
from arena.store.tables import table_sums
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import format_of
from arena.tournaments.ratings.deal_sums import Integers
from arena.tournaments.ratings.score_error import SeatSums, plus_minus
from arena.tournaments.ratings.variance import Luck, TableGroup
from arena.tournaments.ratings.variance import luck as luck_of

_cached_errors: DatabaseCache[Mapping[int, float]] = DatabaseCache(64)
_cached_luck: DatabaseCache[Luck] = DatabaseCache(64)

Rows = Sequence[tuple[bytes, int, bytes]]  # of `table_sums`: key, deals, sums
Shapes = Mapping[int, Rows]  # by number of bots at the table


def score_errors(conn: Connection, tournament: int) -> Mapping[int, float]:
    """By player, half the width of its score's 95% interval, cached. Players with few complete
    deals are left out. Raises NotFound."""
    return _cached_errors.get(
        conn,
        (tournament,),
        lambda now: tournaments.played(now, tournament),
        lambda now: shapes(now, tournament),
        lambda loaded: plus_minus([sums_of(size, rows) for size, rows in loaded.items()]),
    )


def luck(conn: Connection, tournament: int) -> Luck:
    """The variance reduction of a tournament, cached. Raises NotFound."""
    return _cached_luck.get(
        conn,
        (tournament,),
        lambda now: tournaments.played(now, tournament),
        lambda now: (_fixed(tournaments.get(now, tournament)), shapes(now, tournament)),
        lambda loaded: luck_of([_group(*each, loaded[0]) for each in loaded[1].items()]),
    )


def _fixed(tournament: Tournament) -> list[int]:
    """The players that keep their seats in a deal."""
    spec = tournament.spec
    return [tournament.players[entrant] for entrant in format_of(spec.format).fixed(spec)]


def shapes(conn: Connection, tournament: int) -> Shapes:
    """The rows of a tournament, whose matches all have the same number of seats."""
    row = table_sums.c
    query = select(row.seated, row.deals, row.sums).where(row.tournament == tournament)
    found: dict[int, list[tuple[bytes, int, bytes]]] = defaultdict(list)
    for seated, deals, sums in conn.execute(query):
        found[len(seated) // 6].append((seated, deals, sums))
    return found


def sums_of(size: int, rows: Rows) -> SeatSums:
    """The half-points at tables of `size` bots."""
    keys, deals, points, halves, squares, _ = _columns(size, rows)
    others = points.shape[1] - 1
    possible = 2 * others * keys["played"].astype(np.int64)
    return SeatSums(keys["players"].astype(np.int64), possible, deals, halves, squares)


def _group(size: int, rows: Rows, fixed: Collection[int]) -> TableGroup:
    keys, *sums = _columns(size, rows)
    moves = ~np.isin(keys["players"], [*fixed])
    return TableGroup(keys["played"].astype(np.int64), moves, *sums)


def _columns(
    size: int, rows: Rows
) -> tuple[NDArray[Any], Integers, Integers, Integers, Integers, Integers]:
    """The rows of tables of `size` bots as arrays: keys and deals (T,), points by seat (T, seats),
    and by bot (T, size) half-points and their squares by deal and by match."""
    seated = np.dtype([("players", ">u4", (size,)), ("played", ">u2", (size,))])
    keys = np.frombuffer(b"".join(row[0] for row in rows), dtype=seated)
    deals = np.array([row[1] for row in rows], dtype=np.int64)
    numbers = np.frombuffer(b"".join(row[2] for row in rows), dtype="<i8")
    values = numbers.reshape(len(rows), -1).astype(np.int64)
    seats = values.shape[1] - 3 * size
    points, *sums = np.split(values, [seats, seats + size, seats + 2 * size], axis=1)
    halves, deal_squares, match_squares = sums
    return keys, deals, points, halves, deal_squares, match_squares
