"""Whether a database takes anything new, found out by trying: nothing else shows a full disk.

What is tried needs room on the disk, and is taken back: in the database nothing changes.
"""

from __future__ import annotations

import errno
import secrets
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from arena.errors import Unavailable
from arena.store.engine import Store

# "broken": neither, so the disk itself or the file; None: nobody can tell at this moment.
Verdict = Literal["ok", "full", "read-only", "broken"] | None

ROOM = 256 * 1024  # bytes; the results of some thousand matches
PATIENCE_S = 0.5  # others store, which is a good sign and no reason to wait

_OF_FILES: dict[int | None, Verdict] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "full"),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "read-only"),
}
_OF_SQLITE: dict[int, Verdict] = {
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_READONLY: "read-only",
    sqlite3.SQLITE_BUSY: None,
    sqlite3.SQLITE_LOCKED: None,
}
_OF_POSTGRES: dict[str | None, Verdict] = {
    "53100": "full",
    "25006": "read-only",
    "58030": "broken",  # an error of the disk
}


def verdict(store: Store) -> Verdict:
    """What becomes of something that is stored now. Takes some milliseconds; raises nothing."""
    if store.url.get_backend_name() == "postgresql":
        return _try_postgres(store)
    file = Path(store.url.database or "")
    # A database whose log has room left takes some more, but can it grow?
    file_verdict = _try_file(file.parent)
    return file_verdict if file_verdict != "ok" else _try_sqlite(file)


def _try_file(folder: Path) -> Verdict:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(ROOM))
            file.flush()
    except OSError as error:
        return _OF_FILES.get(error.errno, "broken")
    return "ok"


def _try_sqlite(file: Path) -> Verdict:
    address = f"file:{quote(str(file))}?mode=rw"
    try:
        with closing(
            sqlite3.connect(address, uri=True, isolation_level=None, timeout=PATIENCE_S)
        ) as conn:
            conn.execute("PRAGMA cache_size = 10")  # pages; the others go to the disk at once
            conn.execute("BEGIN IMMEDIATE")
            conn.execute("CREATE TABLE arena_probe (room BLOB)")
            conn.execute("INSERT INTO arena_probe VALUES (zeroblob(?))", (ROOM,))
            conn.execute("ROLLBACK")
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        return _OF_SQLITE.get(code & 0xFF, "broken")
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
        # One that may not make tables, or does not answer, says nothing about the disk.
        return _OF_POSTGRES.get(getattr(error.orig, "sqlstate", None))
    except (SQLAlchemyError, Unavailable):
        return None
    return "ok"
