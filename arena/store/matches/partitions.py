"""The tables of finished matches in PostgreSQL, partitioned by month.

`matches`, `match_seats` and `fault_notes` are partitioned by the month in the number of the match
(`arena.store.matches.months`). Indexes stay small, and a month can be dropped at once. SQLite
enforces unique ids and positions for the whole table, PostgreSQL only within a month; across months
the tournament's lock does.
"""

from __future__ import annotations

from sqlalchemy import Connection, Table, delete, func, select, text
from sqlalchemy.exc import OperationalError

from arena.base.errors import Unavailable
from arena.store.dialects import lock_number, next_key, set_next_key
from arena.store.matches import months
from arena.store.tables import MATCH_TABLES, matches

DROP_WAIT_MS = 250  # for each of three tables; PostgreSQL checks for deadlocks after a second
LOCK_NOT_AVAILABLE = "55P03"
LOCK = 0x6D6F6E74  # number of the advisory lock for starting a month
UNIQUE = ("id", "tournament, position", "game, rated_seq")

_NEXT = text("SELECT nextval('matches_number_seq') FROM generate_series(1, :count)")
# Whether the current transaction created a table; null if the table does not exist.
_MADE_HERE = text(
    "SELECT xmin = pg_current_xact_id()::xid FROM pg_class WHERE oid = to_regclass(:name)"
)


def reserve_numbers(conn: Connection, count: int, month: int) -> list[int]:
    """Returns `count` increasing numbers for matches stored in this month. If a later month has
    started, they belong to the latest one."""
    lowest, start = months.first(month), next_key(conn, matches) or 0
    if conn.dialect.name == "sqlite":  # the only writer, so the rows give the next number
        start = max(start, lowest)
        return list(range(start, start + count))
    if start < lowest and (start := _begin_month(conn, month)):
        return list(range(start, start + count))
    return list(conn.scalars(_NEXT, {"count": count}))


def _begin_month(conn: Connection, month: int) -> int:
    """Creates the month's tables. Returns the first number to use, or 0 to use the sequence.

    The sequence continues in the month only after the tables are committed. Until then the
    transaction that created them assigns numbers itself, and others wait for it.
    """
    lock_number(conn, LOCK)
    first = months.first(month)
    if (next_key(conn, matches) or 0) >= first:
        return 0
    made_here = conn.scalar(_MADE_HERE, {"name": table_of(matches, month)})
    make_month(conn, month)
    newest = conn.scalar(select(func.max(matches.c.number)).where(matches.c.number >= first))
    start = first if newest is None else int(newest) + 1
    if made_here is False:
        set_next_key(conn, matches, start)
        return 0
    return start


def make_month(conn: Connection, month: int) -> None:
    """Creates the tables of a month if they are missing (PostgreSQL; SQLite needs none).

    Attaching an empty table takes a lock that allows reads and writes.
    """
    if conn.dialect.name == "sqlite" or _exists(conn, table_of(matches, month)):
        return
    for table in MATCH_TABLES:
        own = table_of(table, month)
        conn.execute(text(f"CREATE TABLE {own} (LIKE {table.name} INCLUDING DEFAULTS)"))
        for columns in UNIQUE if table is matches else ():
            conn.execute(text(f"ALTER TABLE {own} ADD UNIQUE ({columns})"))
        lowest, end = months.first(month), months.first(month + 1)
        attach = f"ATTACH PARTITION {own} FOR VALUES FROM ({lowest}) TO ({end})"
        conn.execute(text(f"ALTER TABLE {table.name} {attach}"))


def drop_month(conn: Connection, month: int) -> None:
    """Deletes all matches of a month, with their seats and fault notes. The caller has stored them
    elsewhere, and checked that a later month has matches.

    PostgreSQL drops the month's tables, which requires that no transaction uses a table of any
    month. The wait for that is short, so that others waiting behind this transaction hardly notice.
    If it fails, raises Unavailable, and nothing is changed.
    """
    if conn.dialect.name == "sqlite":
        for table in reversed(MATCH_TABLES):
            key = next(iter(table.primary_key.columns))
            conn.execute(delete(table).where(key.between(*months.bounds(month))))
        return
    conn.execute(text(f"SET LOCAL lock_timeout = {DROP_WAIT_MS}"))
    try:
        _pass_on(conn, month)
        for table in reversed(MATCH_TABLES):
            conn.execute(text(f"DROP TABLE {table_of(table, month)}"))
    except OperationalError as error:
        if getattr(error.orig, "sqlstate", None) != LOCK_NOT_AVAILABLE:
            raise
        raise Unavailable(
            f"{months.name(month)} was not archived. Other transactions use matches without a "
            "pause. Try again after a running rebuild, check or backup."
        ) from error


def _pass_on(conn: Connection, month: int) -> None:
    """Moves the sequence past this month, so that no number is used twice."""
    lock_number(conn, LOCK)
    if (next_key(conn, matches) or 0) < months.first(month + 1):
        newest = conn.scalar(select(func.max(matches.c.number)))
        set_next_key(conn, matches, int(newest or 0) + 1)


def table_of(table: Table, month: int) -> str:
    """The name of a partition: matches_2026_11, or matches_earlier."""
    return f"{table.name}_{months.name(month).replace('-', '_')}"


def _exists(conn: Connection, name: str) -> bool:
    return conn.scalar(text("SELECT to_regclass(:name)"), {"name": name}) is not None
