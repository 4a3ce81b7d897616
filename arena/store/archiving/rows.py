"""The rows of a month as the database has them, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Select, Table, func, select

from arena.store.archive.layout import BLOCK
from arena.store.archive.writing import TABLES
from arena.store.matches import months
from arena.store.tables import matches

Rows = list[tuple[Any, ...]]
KEYS = [next(iter(table.primary_key.columns)) for table in TABLES]  # the number of the match


def of_month(month: int) -> tuple[int, int]:
    """The lowest and the highest number that a match of a month can have."""
    return months.first(month), months.first(month + 1) - 1


def blocks(conn: Connection, month: int, after: int, most: int) -> Iterator[list[Rows]]:
    """The matches of a month whose numbers are above `after`, at most so many, in order: of each
    block the rows of each of TABLES, all columns."""
    last = of_month(month)[1]
    while most > 0:
        found = _read(conn, matches, after + 1, last, min(most, BLOCK))
        if not found:
            return
        first, after = found[0][0], found[-1][0]
        yield [found, *(_read(conn, table, first, after) for table in TABLES[1:])]
        most -= len(found)


def between(conn: Connection, first: int, last: int) -> list[Rows]:
    """The rows of each of TABLES for the matches with these numbers."""
    return [_read(conn, table, first, last) for table in TABLES]


def _read(conn: Connection, table: Table, first: int, last: int, limit: int | None = None) -> Rows:
    key = next(iter(table.primary_key.columns))
    query: Select[Any] = select(table).where(key.between(first, last))
    query = query.order_by(*table.primary_key.columns).limit(limit)
    return [tuple(row) for row in conn.execute(query)]


def totals(conn: Connection, month: int) -> tuple[int, int, int, int]:
    """How many rows of each of TABLES a month has, and how many of its matches are rated."""
    first, last = of_month(month)
    counts = [
        conn.scalar(select(func.count()).select_from(table).where(key.between(first, last))) or 0
        for table, key in zip(TABLES, KEYS, strict=True)
    ]
    rated = select(func.count(matches.c.rated_seq)).where(matches.c.number.between(first, last))
    return counts[0], counts[1], counts[2], conn.scalar(rated) or 0
