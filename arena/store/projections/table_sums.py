"""Sums over the deals of each table of bots of a tournament.

A deal counts when all its matches are stored. What the sums are: `arena.rating.variance`; what
follows from them: `arena.store.reports.variance_reduction`. Who sat at a table is
stored as four bytes for each player and two for the matches it plays in a deal, big-endian; the
sums as eight bytes each, little-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, select

from arena.rating.deal_sums import SeatResults
from arena.rating.variance import Seated, TableSums, summarise
from arena.store.matches import complete_deals
from arena.store.projections.projection import Change
from arena.store.tables import table_sums
from arena.store.upsert import upsert

Sums = dict[Seated, TableSums]

CHUNK = 1000  # rows written at a time


class TableSumsProjection:
    """By tournament and table of bots, sums over complete deals."""

    name = "table_sums"
    version = 1

    def apply(self, conn: Connection, change: Change) -> None:
        """Adds deals that have just become complete."""
        new = _add_up(change.deals)
        if not new:
            return
        for seated, sums in _load(conn, change.tournament, new).items():
            new[seated] += sums
        _store(conn, change.tournament, new)

    def rebuild(self, conn: Connection, game: str) -> None:
        """Adds the deals of all tournaments up again."""
        for tournament, deals in complete_deals.of_game(conn, game):
            conn.execute(delete(table_sums).where(table_sums.c.tournament == tournament))
            _store(conn, tournament, _add_up(deals))

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        """The sums of how many tables differ."""
        wrong = 0
        for tournament, deals in complete_deals.of_game(conn, game):
            expected, actual = _add_up(deals), stored(conn, tournament)
            keys = expected.keys() | actual.keys()
            wrong += sum(expected.get(key) != actual.get(key) for key in keys)
        if wrong:
            yield f"the sums of {wrong:,} tables of tournaments differ"


def stored(conn: Connection, tournament: int) -> Sums:
    """The sums of a tournament as they are stored."""
    rows = conn.execute(select(table_sums).where(table_sums.c.tournament == tournament))
    return dict(map(_read, rows))


def _add_up(deals: Iterable[Sequence[SeatResults]]) -> Sums:
    totals: Sums = {}
    for deal in deals:
        seated, sums = summarise(deal)
        totals[seated] = totals[seated] + sums if seated in totals else sums
    return totals


def _load(conn: Connection, tournament: int, tables: Collection[Seated]) -> Sums:
    keys = [_pack(seated) for seated in tables]
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
