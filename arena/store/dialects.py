"""What SQLite and PostgreSQL do differently: INSERT statements that allow existing rows, locks by
number, the numbers of new rows, and writing many rows at once."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Delete, Dialect, Insert, Table, Update, text
from sqlalchemy.dialects import postgresql, sqlite

Statement = Insert | Update | Delete
Row = tuple[object, ...]
Tolerant = postgresql.Insert | sqlite.Insert

# Cached: compiling takes as long as writing a hundred rows.
_compiled: dict[tuple[str, Statement, tuple[str, ...]], tuple[str, tuple[int, ...]]] = {}

_SEQUENCE = text("SELECT pg_get_serial_sequence(:table, :column)")
_SQLITE = text("SELECT seq FROM sqlite_sequence WHERE name = :table")


def insert(conn: Connection, table: Table) -> Tolerant:
    """An INSERT with `on_conflict_do_nothing` and `on_conflict_do_update`."""
    return _insert(conn.dialect.name, table)


def upsert(conn: Connection, table: Table) -> Tolerant:
    """An INSERT that replaces an existing row with the same primary key."""
    return _upsert(conn.dialect.name, table, adds=False)


def upsert_sums(conn: Connection, table: Table) -> Tolerant:
    """An INSERT that adds its values to an existing row with the same primary key."""
    return _upsert(conn.dialect.name, table, adds=True)


def _insert(dialect: str, table: Table) -> Tolerant:
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


# Cached: building it takes about as long as writing a dozen rows.
@cache
def _upsert(dialect: str, table: Table, adds: bool) -> Tolerant:
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


def write_rows(
    conn: Connection, statement: Statement, names: Sequence[str], rows: Sequence[Row]
) -> None:
    """Executes a statement once for each row, if there are any: as a stream for new rows in
    PostgreSQL, else row by row in the driver. SQLAlchemy would first process each value of each
    row. For the few types of our tables that changes nothing and takes longer than the database.

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
    command, order = _compiled[key]
    if order != tuple(range(len(names))):
        rows = [tuple([row[place] for place in order]) for row in rows]
    conn.exec_driver_sql(command, list(rows))


def _copy(conn: Connection, statement: Insert, names: Sequence[str], rows: Sequence[Row]) -> None:
    """Inserts into PostgreSQL as one binary stream. A statement per row takes several times as much
    time in both processes, and a text stream three times."""
    driver: Any = conn.connection.driver_connection
    columns = statement.table.c
    types = [columns[name].type.compile(conn.dialect).lower() for name in names]
    command = f"COPY {statement.table.name} ({', '.join(names)}) FROM STDIN (FORMAT BINARY)"
    with driver.cursor() as cursor, cursor.copy(command) as stream:
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
