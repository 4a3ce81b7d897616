"""The tables of finished matches in PostgreSQL, month by month.

`matches`, `match_seats` and `fault_notes` are partitioned there by the month in the number of the
match (`arena.store.matches.months`): indexes stay small, and the tables of a month can go at once.
What SQLite has as constraints of the whole table, a month's tables have each for itself: ids and
places are unique in a month, and the lock of the tournament keeps them so beyond it.
"""

from __future__ import annotations

from sqlalchemy import Connection, Table, delete, func, select, text
from sqlalchemy.exc import OperationalError

from arena.base.errors import Unavailable
from arena.store.keys import next_key, set_next_key
from arena.store.matches import months
from arena.store.tables import MATCH_TABLES, matches

DROP_WAIT_MS = 250  # for each of three tables: PostgreSQL looks for deadlocks after a second
LOCK_NOT_AVAILABLE = "55P03"
LOCK = 0x6D6F6E74  # names the advisory lock under which a month begins
UNIQUE = ("id", "tournament, position", "game, rated_seq")

_NEXT = text("SELECT nextval('matches_number_seq') FROM generate_series(1, :count)")
# Whether the transaction that asks has made a table itself; nothing if there is none.
_MADE_HERE = text(
    "SELECT xmin = pg_current_xact_id()::xid FROM pg_class WHERE oid = to_regclass(:name)"
)


def reserve_numbers(conn: Connection, count: int, month: int) -> list[int]:
    """So many numbers for matches that are stored in this month, going up. A month that is over
    does not come back: then they are of the latest one."""
    lowest, start = months.first(month), next_key(conn, matches) or 0
    if conn.dialect.name == "sqlite":  # there is one writer, whose rows say which come next
        start = max(start, lowest)
        return list(range(start, start + count))
    if start < lowest and (start := _begin_month(conn, month)):
        return list(range(start, start + count))
    return list(conn.scalars(_NEXT, {"count": count}))


def _begin_month(conn: Connection, month: int) -> int:
    """Makes the month's tables, and says with which number it begins; 0 if the sequence does.

    The sequence goes on in the month only when the tables are there for everybody: until then the
    one transaction that has made them gives numbers by itself, and others wait for it.
    """
    conn.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
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
    """Makes the tables of a month where they are missing (PostgreSQL; SQLite needs none).

    Attaching an empty table takes a lock beside which everybody reads and writes on.
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
    """Takes all matches of a month out of the database, with their seats and fault notes. The
    caller has seen to it that they are kept elsewhere, and that a later month has matches.

    PostgreSQL drops the tables of the month, for which nobody may read or write any month; who does
    so now is waited for so shortly that others behind this transaction hardly notice. Raises
    Unavailable then, and nothing is changed.
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
            f"Others read or write matches without a pause, so {months.name(month)} stays as it "
            "is: try again when a rebuild, a check or a backup is over."
        ) from error


def _pass_on(conn: Connection, month: int) -> None:
    """Has the sequence give numbers after this month: none of it must come twice."""
    conn.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    if (next_key(conn, matches) or 0) < months.first(month + 1):
        newest = conn.scalar(select(func.max(matches.c.number)))
        set_next_key(conn, matches, int(newest or 0) + 1)


def table_of(table: Table, month: int) -> str:
    """The name of the partition: matches_2026_11, or matches_earlier."""
    return f"{table.name}_{months.name(month).replace('-', '_')}"


def _exists(conn: Connection, name: str) -> bool:
    return conn.scalar(text("SELECT to_regclass(:name)"), {"name": name}) is not None
