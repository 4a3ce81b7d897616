"""The number of a table's next row. Numbers are never reused, so backups contain it."""

from __future__ import annotations

from sqlalchemy import Connection, Table, text

_SEQUENCE = text("SELECT pg_get_serial_sequence(:table, :column)")
_SQLITE = text("SELECT seq FROM sqlite_sequence WHERE name = :table")


def next_key(conn: Connection, table: Table) -> int | None:
    """The number of the table's next row; None if its rows are not numbered."""
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
