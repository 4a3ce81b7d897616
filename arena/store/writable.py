"""Tests whether a database accepts writes. Only an attempt reveals a full disk.

The attempt needs room on the disk and is rolled back, so the database does not change.
"""

import errno
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from arena.base.errors import Unavailable
from arena.base.folder import refusal
from arena.store.database_error import Verdict, verdict_of
from arena.store.engine import Store

__all__ = ["Verdict", "verdict"]

ROOM = 256 * 1024  # bytes; the results of several thousand matches
PATIENCE_S = 0.5  # short: if others are writing, that is a good sign

_OF_FILES: dict[int | None, Verdict] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "full"),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "read-only"),
}


def verdict(store: Store) -> Verdict:
    """Whether a write would succeed now. Takes a few milliseconds; raises nothing."""
    if store.url.get_backend_name() == "postgresql":
        return _try_postgres(store)
    file = Path(store.url.database or "")
    # A write might still fit into the database's log, so test whether files can grow.
    if error := refusal(file.parent, ROOM):
        return _OF_FILES.get(error.errno, "broken")
    return _try_sqlite(file)


def _try_sqlite(file: Path) -> Verdict:
    address = f"file:{quote(str(file))}?mode=rw"
    try:
        with closing(
            sqlite3.connect(address, uri=True, isolation_level=None, timeout=PATIENCE_S)
        ) as conn:
            conn.execute("PRAGMA cache_size = 10")  # pages; others are written to disk at once
            conn.execute("BEGIN IMMEDIATE")
            conn.execute("CREATE TABLE arena_probe (room BLOB)")
            conn.execute("INSERT INTO arena_probe VALUES (zeroblob(?))", (ROOM,))
            conn.execute("ROLLBACK")
    except sqlite3.Error as error:
        return verdict_of(error)
    return "ok"


def _try_postgres(store: Store) -> Verdict:
    table = f"arena_probe_{secrets.token_hex(8)}"
    rows = "SELECT repeat('x', 1024) FROM generate_series(1, :rows)"
    try:
        with store.engine.connect() as conn, conn.begin() as transaction:
            conn.execute(text(f"SET LOCAL statement_timeout = {round(1000 * PATIENCE_S)}"))
            conn.execute(text(f"CREATE TABLE {table} (room text)"))
            conn.execute(text(f"INSERT INTO {table} {rows}"), {"rows": ROOM // 1024})
            transaction.rollback()
    except DBAPIError as error:
        # A missing right to create tables or no answer says nothing about the disk.
        return verdict_of(error.orig)
    except (SQLAlchemyError, Unavailable):
        return None
    return "ok"
