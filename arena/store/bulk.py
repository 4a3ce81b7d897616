"""Many rows of one table, written by one statement: as a stream where PostgreSQL takes new rows,
else row by row, as the driver carries it out.

SQLAlchemy would look at each value of each row before the driver does: with the few types that
the tables have that changes nothing, and takes longer than the database.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Delete, Dialect, Insert, Update

Statement = Insert | Update | Delete
Row = tuple[object, ...]

# Made once: compiling takes as long as writing a hundred rows.
_compiled: dict[tuple[str, Statement, tuple[str, ...]], tuple[str, tuple[int, ...]]] = {}


def write_rows(
    conn: Connection, statement: Statement, names: Sequence[str], rows: Sequence[Row]
) -> None:
    """Carries out a statement once for each row, if there are any.

    `names` are those of the columns or bound parameters that a row has values for, in its order.
    The statement must be one that is made once, not anew for each call.
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
    """Plain inserts into PostgreSQL, as one stream in its own format: a statement for each row
    takes several times as long, of both processes, and text three times."""
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
    """The statement for the driver, and for each of its places the place in a row."""
    compiled = statement.compile(dialect=_positional(type(dialect)), column_keys=list(names))
    places: list[str] = list(compiled.positiontup or ())
    return str(compiled), tuple([names.index(name) for name in places])


def _positional(kind: type[Any]) -> Dialect:
    """A dialect whose statements take values by place: both drivers know such ones."""
    dialect: Dialect = kind(paramstyle="qmark" if kind.name == "sqlite" else "format")
    return dialect
