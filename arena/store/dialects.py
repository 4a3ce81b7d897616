"""What SQLite and PostgreSQL do differently: INSERT statements that allow existing rows, locks by
number, and the numbers of new rows."""

from __future__ import annotations

from functools import cache

from sqlalchemy import Connection, Table, text
from sqlalchemy.dialects import postgresql, sqlite

Insert = postgresql.Insert | sqlite.Insert

_SEQUENCE = text("SELECT pg_get_serial_sequence(:table, :column)")
_SQLITE = text("SELECT seq FROM sqlite_sequence WHERE name = :table")


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


def lock_number(conn: Connection, number: int) -> None:
    """Waits until no other transaction holds this number, and holds it until this one ends. SQLite
    has one writer at a time anyway."""
    if conn.dialect.name == "postgresql":
        conn.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": number})


def next_key(conn: Connection, table: Table) -> int | None:
    """The number of the table's next row, which a backup contains because numbers are never reused;
    None if its rows are not numbered."""
    if not table.dialect_options["sqlite"]["autoincrement"]:
        return None
    if conn.dialect.name == "sqlite":
        return int(conn.scalar(_SQLITE, {"table": table.name}) or 0) + 1
    last, is_called = conn.exec_driver_sql(
        f"SELECT last_value, is_called FROM {_sequence(conn, table)}"  # noqa: S608  # a name
    ).one()
    return int(last) + int(is_called)


def set_next_key(conn: Connection, table: Table, number: int) -> None:
    """Sets the number of the table's next row."""
    if conn.dialect.name == "sqlite":
        row = {"table": table.name, "last": number - 1}
        conn.execute(text("DELETE FROM sqlite_sequence WHERE name = :table"), row)
        conn.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :last)"), row)
        return
    set_value = text("SELECT setval(CAST(:sequence AS regclass), :number, false)")
    conn.execute(set_value, {"sequence": _sequence(conn, table), "number": number})


def _sequence(conn: Connection, table: Table) -> str:
    (column,) = table.primary_key.columns
    return str(conn.scalar(_SEQUENCE, {"table": table.name, "column": column.name}))
