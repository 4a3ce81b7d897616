"""INSERT that tolerates rows that exist, in the words of the database at hand."""

from __future__ import annotations

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

Insert = postgresql.Insert | sqlite.Insert


def insert(conn: Connection, table: Table) -> Insert:
    """An INSERT that knows `on_conflict_do_nothing` and `on_conflict_do_update`."""
    if conn.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)


def upsert(conn: Connection, table: Table) -> Insert:
    """An INSERT that replaces the other columns of a row whose primary key exists."""
    statement = insert(conn, table)
    keys = list(table.primary_key.columns)
    rest = {column.name: statement.excluded[column.name] for column in table.columns}
    for key in keys:
        del rest[key.name]
    return statement.on_conflict_do_update(index_elements=keys, set_=rest)
