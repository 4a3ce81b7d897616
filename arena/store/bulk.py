"""Writes many rows with one statement: as a stream for new rows in PostgreSQL, else row by row
in the driver.

SQLAlchemy would first process each value of each row. For the few types of our tables that changes
nothing, and it takes longer than the database.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Delete, Dialect, Insert, Update

Statement = Insert | Update | Delete
Row = tuple[object, ...]

# Cached: compiling takes as long as writing a hundred rows.
_compiled: dict[tuple[str, Statement, tuple[str, ...]], tuple[str, tuple[int, ...]]] = {}


def write_rows(
    conn: Connection, statement: Statement, names: Sequence[str], rows: Sequence[Row]
) -> None:
    """Executes a statement once for each row, if there are any.

    `names` are the columns or bound parameters of the values in a row, in order. The statement is a
    cache key, so create it once and not for each call.
    """
    if not rows:
        return
    if type(statement) is Insert and conn.dialect.name == "postgresql":
        _copy(conn, statement, names, rows)
        return
    key = conn.dialect.name, statement, tuple(names)
    if key not in _compiled:
        _compiled[key] = _compile(conn.dialect, statement, names)
    text, order = _compiled[key]
    if order != tuple(range(len(names))):
        rows = [tuple([row[place] for place in order]) for row in rows]
    conn.exec_driver_sql(text, list(rows))


def _copy(conn: Connection, statement: Insert, names: Sequence[str], rows: Sequence[Row]) -> None:
    """Inserts into PostgreSQL as one binary stream. A statement per row takes several times as much
    time in both processes, and a text stream three times."""
    driver: Any = conn.connection.driver_connection
    columns = statement.table.c
    types = [columns[name].type.compile(conn.dialect).lower() for name in names]
    text = f"COPY {statement.table.name} ({', '.join(names)}) FROM STDIN (FORMAT BINARY)"
    with driver.cursor() as cursor, cursor.copy(text) as stream:
        stream.set_types(types)
        for row in rows:
            stream.write_row(row)


def _compile(
    dialect: Dialect, statement: Statement, names: Sequence[str]
) -> tuple[str, tuple[int, ...]]:
    """The statement for the driver, and for each of its placeholders the position in a row."""
    compiled = statement.compile(dialect=_positional(type(dialect)), column_keys=list(names))
    places: list[str] = list(compiled.positiontup or ())
    return str(compiled), tuple([names.index(name) for name in places])


def _positional(kind: type[Any]) -> Dialect:
    """A dialect whose statements take values by position, as both drivers accept."""
    dialect: Dialect = kind(paramstyle="qmark" if kind.name == "sqlite" else "format")
    return dialect
