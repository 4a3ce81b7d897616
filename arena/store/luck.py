"""What cards and seats did in a tournament, from sums kept for each of its tables of bots.

They are brought up to date with every deal that becomes whole, in the transaction that makes it
so. What the sums are, and what follows from them: `arena.rating.variance`. Who sat at a table is
stored as four bytes for each player and two for the matches it plays in a deal, big-endian; the
sums as eight bytes each, little-endian.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, delete, select

from arena.pairing import format_of
from arena.rating.deal_sums import Table
from arena.rating.variance import Luck, Seated, TableGroup, TableSums, summarise
from arena.rating.variance import luck as luck_of
from arena.store import tournaments, whole_deals
from arena.store.cached import Cached
from arena.store.tables import table_sums
from arena.store.tournaments import Tournament
from arena.store.upsert import upsert

Sums = dict[Seated, TableSums]

CHUNK = 1000  # rows written at a time

_cached: Cached[Luck] = Cached(64)

Shapes = Mapping[tuple[int, int], Sequence[tuple[bytes, int, bytes]]]


def luck(conn: Connection, tournament: int) -> Luck:
    """What is known, cached while it is true. Raises NotFound.

    Reads a row for every table of bots, not for every match; where these are very many and the
    tournament runs, what is told may be some seconds old (see `kept`).
    """
    fixed = _fixed(tournaments.get(conn, tournament))
    return _cached.get(
        conn,
        (tournament,),
        lambda now: tournaments.played(now, tournament),
        lambda now: _shapes(now, tournament),
        lambda shapes: luck_of([_group(*shape, rows, fixed) for shape, rows in shapes.items()]),
    )


def _shapes(conn: Connection, tournament: int) -> Shapes:
    """The rows of a tournament by how many bytes their keys and sums have."""
    row = table_sums.c
    query = select(row.seated, row.deals, row.sums).where(row.tournament == tournament)
    shapes: dict[tuple[int, int], list[tuple[bytes, int, bytes]]] = defaultdict(list)
    for seated, deals, sums in conn.execute(query):
        shapes[len(seated), len(sums)].append((seated, deals, sums))
    return shapes


def _fixed(tournament: Tournament) -> list[int]:
    """The players who keep their seats in a deal."""
    spec = tournament.spec
    return [tournament.players[entrant] for entrant in format_of(spec.format).fixed(spec)]


def count(conn: Connection, tournament: int, deals: Iterable[Sequence[Table]]) -> None:
    """Adds deals that have just become whole. The caller holds the tournament's lock."""
    new = _add_up(deals)
    if not new:
        return
    for seated, sums in _load(conn, tournament, new).items():
        new[seated] += sums
    _store(conn, tournament, new)


def rebuild(conn: Connection, game: str) -> None:
    """Makes the sums of all tournaments of a game from their stored matches."""
    for tournament, deals in whole_deals.of_game(conn, game):
        conn.execute(delete(table_sums).where(table_sums.c.tournament == tournament))
        _store(conn, tournament, _add_up(deals))


def unlike(conn: Connection, game: str) -> int:
    """How many tables' sums differ from what the stored matches say; changes nothing."""
    wrong = 0
    for tournament, deals in whole_deals.of_game(conn, game):
        made, kept = _add_up(deals), stored(conn, tournament)
        wrong += sum(made.get(seated) != kept.get(seated) for seated in made.keys() | kept.keys())
    return wrong


def stored(conn: Connection, tournament: int) -> Sums:
    """The sums of a tournament as they are stored."""
    rows = conn.execute(select(table_sums).where(table_sums.c.tournament == tournament))
    return dict(map(_read, rows))


def _add_up(deals: Iterable[Sequence[Table]]) -> Sums:
    made: Sums = {}
    for deal in deals:
        seated, sums = summarise(deal)
        made[seated] = made[seated] + sums if seated in made else sums
    return made


def _load(conn: Connection, tournament: int, wanted: Collection[Seated]) -> Sums:
    keys = [_pack(seated) for seated in wanted]
    row = table_sums.c
    query = select(table_sums).where(row.tournament == tournament, row.seated.in_(keys))
    return dict(map(_read, conn.execute(query)))


def _store(conn: Connection, tournament: int, sums: Mapping[Seated, TableSums]) -> None:
    rows = [
        {
            "tournament": tournament,
            "seated": _pack(seated),
            "deals": line.deals,
            "sums": struct.pack(f"<{len(line.points) + 3 * len(seated)}q", *_numbers(line)),
        }
        for seated, line in sums.items()
    ]
    for first in range(0, len(rows), CHUNK):
        conn.execute(upsert(conn, table_sums), rows[first : first + CHUNK])


def _pack(seated: Seated) -> bytes:
    players, played = zip(*seated, strict=True)
    return struct.pack(f">{len(seated)}I{len(seated)}H", *players, *played)


def _numbers(sums: TableSums) -> tuple[int, ...]:
    return (*sums.points, *sums.halves, *sums.deal_squares, *sums.match_squares)


def _read(row: Row[Any]) -> tuple[Seated, TableSums]:
    size = len(row.seated) // 6
    numbers = struct.unpack(f">{size}I{size}H", row.seated)
    values = struct.unpack(f"<{len(row.sums) // 8}q", row.sums)
    ends = [len(values) - size * left for left in (3, 2, 1, 0)]
    sums = TableSums(
        row.deals,
        values[: ends[0]],
        *(values[ends[part] : ends[part + 1]] for part in range(3)),
    )
    return tuple(zip(numbers[:size], numbers[size:], strict=True)), sums


def _group(
    key: int, length: int, rows: Sequence[tuple[bytes, int, bytes]], fixed: Collection[int]
) -> TableGroup:
    """Rows whose keys and sums have so many bytes, as arrays."""
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
