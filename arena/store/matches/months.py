"""The number of a match contains the month in which it was stored.

    number = month << 36 | place in the month

Months are counted from January 1970 (1), in UTC. So numbers increase in the order of storing, even
across months, and a month is a range of numbers. Numbers below all months belong to month 0,
"earlier".

In PostgreSQL, the tables of finished matches are partitioned by month. Indexes stay small, and a
month can be dropped at once. SQLite enforces unique ids and positions for the whole table,
PostgreSQL only within a month; across months the tournament's lock does.
"""

from datetime import UTC, datetime

from sqlalchemy import Connection, Table, delete, func, select, text
from sqlalchemy.exc import OperationalError

from arena.base.errors import InvalidRequest, Unavailable
from arena.store.database_error import is_locked
from arena.store.dialects import lock_number, next_key, set_next_key
from arena.store.tables import MATCH_TABLES, matches

BITS = 36  # 68 billion matches per month; doubles represent the numbers exactly
EARLIER = 0
EARLIER_NAME = "earlier"
FIRST_YEAR = 1970
ASKED = 'Write a month like 2026-11 (or "earlier" for matches stored before there were months).'
DROP_WAIT_MS = 250  # for each of three tables; PostgreSQL checks for deadlocks after a second
LOCK = 0x6D6F6E74  # number of the advisory lock for starting a month
UNIQUE = ("id", "tournament, position", "game, rated_seq")

_NEXT = text("SELECT nextval('matches_number_seq') FROM generate_series(1, :count)")
# Whether the current transaction created a table; null if the table does not exist.
_MADE_HERE = text(
    "SELECT xmin = pg_current_xact_id()::xid FROM pg_class WHERE oid = to_regclass(:name)"
)


def at(time: float) -> int:
    """The month of a time (Unix seconds), at least 1."""
    moment = datetime.fromtimestamp(max(time, 0.0), UTC)
    return (moment.year - FIRST_YEAR) * 12 + moment.month


def of(number: int) -> int:
    """The month in which the match with this number was stored."""
    return number >> BITS


def first(month: int) -> int:
    """The lowest number of a month; its range ends where the next month starts."""
    return month << BITS


def bounds(month: int) -> tuple[int, int]:
    """The lowest and highest number of a month."""
    return first(month), first(month + 1) - 1


def name(month: int) -> str:
    """The month as text, for example 2026-11."""
    if month == EARLIER:
        return EARLIER_NAME
    year, rest = divmod(month - 1, 12)
    return f"{year + FIRST_YEAR}-{rest + 1:02}"


def named(text: str) -> int:
    """The month with this name. Raises InvalidRequest."""
    if text == EARLIER_NAME:
        return EARLIER
    try:
        moment = datetime.strptime(text, "%Y-%m").replace(tzinfo=UTC)
    except ValueError:
        raise InvalidRequest(f'"{text[:40]}" is not a month. {ASKED}') from None
    if moment.year < FIRST_YEAR:
        raise InvalidRequest(f'"{text}" is before the first month, 1970-01. {ASKED}')
    return at(moment.timestamp())


def reserve_numbers(conn: Connection, count: int, month: int) -> list[int]:
    """Returns `count` increasing numbers for matches stored in this month. If a later month has
    started, they belong to the latest one."""
    lowest, start = first(month), next_key(conn, matches) or 0
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
    lowest = first(month)
    if (next_key(conn, matches) or 0) >= lowest:
        return 0
    made_here = conn.scalar(_MADE_HERE, {"name": table_of(matches, month)})
    make_month(conn, month)
    newest = conn.scalar(select(func.max(matches.c.number)).where(matches.c.number >= lowest))
    start = lowest if newest is None else int(newest) + 1
    if made_here is False:
        set_next_key(conn, matches, start)
        return 0
    return start


def make_month(conn: Connection, month: int) -> None:
    """Creates the tables of a month if they are missing (PostgreSQL; SQLite needs none). Attaching
    an empty table takes a lock that allows reads and writes."""
    if conn.dialect.name == "sqlite" or _exists(conn, table_of(matches, month)):
        return
    for table in MATCH_TABLES:
        own = table_of(table, month)
        conn.execute(text(f"CREATE TABLE {own} (LIKE {table.name} INCLUDING DEFAULTS)"))
        for columns in UNIQUE if table is matches else ():
            conn.execute(text(f"ALTER TABLE {own} ADD UNIQUE ({columns})"))
        lowest, end = first(month), first(month + 1)
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
            conn.execute(delete(table).where(key.between(*bounds(month))))
        return
    conn.execute(text(f"SET LOCAL lock_timeout = {DROP_WAIT_MS}"))
    try:
        _pass_on(conn, month)
        for table in reversed(MATCH_TABLES):
            conn.execute(text(f"DROP TABLE {table_of(table, month)}"))
    except OperationalError as error:
        if not is_locked(error.orig):
            raise
        raise Unavailable(
            f"{name(month)} was not archived. Other transactions use matches without a "
            "pause. Try again after a running rebuild, check or backup."
        ) from error


def _pass_on(conn: Connection, month: int) -> None:
    """Moves the sequence past this month, so that no number is used twice."""
    lock_number(conn, LOCK)
    if (next_key(conn, matches) or 0) < first(month + 1):
        newest = conn.scalar(select(func.max(matches.c.number)))
        set_next_key(conn, matches, int(newest or 0) + 1)


def table_of(table: Table, month: int) -> str:
    """The name of a partition: matches_2026_11, or matches_earlier."""
    return f"{table.name}_{name(month).replace('-', '_')}"


def _exists(conn: Connection, name: str) -> bool:
    return conn.scalar(text("SELECT to_regclass(:name)"), {"name": name}) is not None
