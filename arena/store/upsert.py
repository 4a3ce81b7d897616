"""INSERT statements that allow existing rows, for both databases."""

from __future__ import annotations

from functools import cache

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

Insert = postgresql.Insert | sqlite.Insert


def insert(conn: Connection, table: Table) -> Insert:
    """An INSERT with `on_conflict_do_nothing` and `on_conflict_do_update`."""
    return _insert(conn.dialect.name, table)


def upsert(conn: Connection, table: Table) -> Insert:
    """An INSERT that replaces an existing row with the same primary key."""
    return _upsert(conn.dialect.name, table, adds=False)


def upsert_sums(conn: Connection, table: Table) -> Insert:
    """An INSERT that adds its values to an existing row with the same primary key."""
    return _upsert(conn.dialect.name, table, adds=True)


def _insert(dialect: str, table: Table) -> Insert:
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


# Cached: building it takes about as long as writing a dozen rows.
@cache
def _upsert(dialect: str, table: Table, adds: bool) -> Insert:
    statement = _insert(dialect, table)
    keys = list(table.primary_key.columns)
    new = statement.excluded
    rest = {
        column.name: column + new[column.name] if adds else new[column.name]
        for column in table.columns
        if column not in set(keys)
    }
    return statement.on_conflict_do_update(index_elements=keys, set_=rest)
