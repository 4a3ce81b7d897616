"""The version of a database's schema, checked so that no process works on a foreign version.

The code that stores a result also updates sums in the database. A process of another release would
not know all of them, and the error would go unnoticed. So each writing transaction checks the
version first. A migration (`arena.store.migrate`) waits for transactions that have checked it, and
new ones wait for the migration.

Each check of a PostgreSQL database also reads its clock (`arena.base.instant`).
"""

import time

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import OperationalError, ProgrammingError

from arena.base import instant
from arena.base.errors import SchemaMismatch

TABLE = "alembic_version"
FIRST = "0100"  # the schema of the first release; development versions had lower numbers
# Suffix of a version while everything derived from matches is recomputed.
COUNTING = "+counting"
_VERSION = text(f"SELECT version_num FROM {TABLE}")  # noqa: S608  # a constant
_VERSION_AND_TIME = text(
    f"SELECT version_num, extract(epoch FROM clock_timestamp()) FROM {TABLE}"  # noqa: S608
)
_LOCKED = text(f"LOCK TABLE {TABLE} IN ROW SHARE MODE")  # blocks neither readers nor writers
UNDEFINED_TABLE = "42P01"


def revision(conn: Connection) -> str | None:
    """The current migration of the database; None if it is empty."""
    if not inspect(conn).has_table(TABLE):
        return None
    current = conn.scalar(_VERSION)
    return None if current is None else str(current)


def check(conn: Connection, wanted: str, *, writing: bool = False) -> None:
    """Raises SchemaMismatch unless the database is at this migration.

    In PostgreSQL, `writing` locks the version's table until the transaction ends, so that a
    migration waits. SQLite has one writer at a time.
    """
    try:
        if writing and conn.dialect.name == "postgresql":
            conn.execute(_LOCKED)
        current = _version(conn)
    except (OperationalError, ProgrammingError) as error:
        missing = getattr(error.orig, "sqlstate", None) == UNDEFINED_TABLE
        if not missing and f"no such table: {TABLE}" not in str(error.orig):
            raise
        current = None
    if current != wanted:
        raise SchemaMismatch(sentence(current, wanted))


def _version(conn: Connection) -> str | None:
    if conn.dialect.name != "postgresql":
        current: str | None = conn.scalar(_VERSION)
        return current
    before = time.monotonic()
    row = conn.execute(_VERSION_AND_TIME).first()
    if row is None:
        return None
    instant.database_clock.measured(float(row[1]), before, time.monotonic())
    return str(row[0])


def sentence(current: str | None, wanted: str) -> str:
    """The error for a database of another version; None is an empty one."""
    if current is None:
        return "The database is empty. Create its tables with `arena db upgrade`."
    if current == wanted + COUNTING:
        return (
            f"The database is being upgraded to version {wanted}. Wait for the end of"
            " `arena db upgrade`, or run it again if it was stopped."
        )
    if _number(current) < _number(FIRST):
        return (
            f"The database cannot be used or upgraded. Its version {current} is from a development"
            f" version before 0.1.0, and releases start with {FIRST}. Create a new database: choose"
            " an empty data folder, or an empty database in ARENA_DATABASE_URL."
        )
    mismatch = f"The database cannot be used. It has version {current}, not {wanted}. "
    if _number(current) < _number(wanted):
        return mismatch + "Run `arena db upgrade`."
    return mismatch + "It was created by a newer lama-arena. Upgrade this one and start it again."


def _number(version: str) -> float:
    """The number of a version; unknown formats count as newer."""
    number = version.removesuffix(COUNTING)
    return int(number) if number.isdigit() else float("inf")
