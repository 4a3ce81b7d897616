"""Reads the rows of a month from the database, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, Connection, Select, Table, func, select

from arena.store.archive.layout import BLOCK
from arena.store.matches import months
from arena.store.tables import MATCH_TABLES, matches

Rows = list[tuple[Any, ...]]


def blocks(conn: Connection, month: int, after: int, most: int) -> Iterator[list[Rows]]:
    """Up to `most` matches of a month numbered above `after`, in order: for each block, the rows of
    each of MATCH_TABLES with all columns."""
    last = months.bounds(month)[1]
    while most > 0:
        found = _read(conn, matches, after + 1, last, min(most, BLOCK))
        if not found:
            return
        first, after = found[0][0], found[-1][0]
        yield [found, *(_read(conn, table, first, after) for table in MATCH_TABLES[1:])]
        most -= len(found)


def between(conn: Connection, first: int, last: int) -> list[Rows]:
    """The rows of each of MATCH_TABLES for the matches with these numbers."""
    return [_read(conn, table, first, last) for table in MATCH_TABLES]


def _read(conn: Connection, table: Table, first: int, last: int, limit: int | None = None) -> Rows:
    query: Select[Any] = select(table).where(_number(table).between(first, last))
    query = query.order_by(*table.primary_key.columns).limit(limit)
    return [tuple(row) for row in conn.execute(query)]


def _number(table: Table) -> Column[Any]:
    """The column with the number of the match."""
    return next(iter(table.primary_key.columns))


def totals(conn: Connection, month: int) -> tuple[int, int, int, int]:
    """Number of rows of each of MATCH_TABLES in a month, and number of rated matches."""
    within = [_number(table).between(*months.bounds(month)) for table in MATCH_TABLES]
    counts = [
        conn.scalar(select(func.count()).select_from(table).where(here)) or 0
        for table, here in zip(MATCH_TABLES, within, strict=True)
    ]
    rated = select(func.count(matches.c.rated_seq)).where(within[0])
    return counts[0], counts[1], counts[2], conn.scalar(rated) or 0
