"""Errors of a database: why it refuses writes, and whether a new connection may help."""

import re
import sqlite3
from typing import Literal

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from arena.base.errors import Unavailable

# "broken": the disk itself or the file; None: unknown.
Verdict = Literal["ok", "full", "read-only", "broken"] | None


class Damaged(Unavailable):
    """The file of a database is damaged."""


class Locked(Unavailable):
    """Another transaction held a lock for too long."""


AWAY = "The database does not answer."  # for visitors

READ_ONLY = "25006"
LOCKED = "55P03"

_OF_SQLITE: dict[int, Verdict] = {
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_READONLY: "read-only",
    sqlite3.SQLITE_BUSY: None,
    sqlite3.SQLITE_LOCKED: None,
}
# An error before the login has no code.
_CROWDED = re.compile("too many (clients|connections)|connection slots|no more connections")
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_OF_POSTGRES: dict[str | None, Verdict] = {
    "53100": "full",
    READ_ONLY: "read-only",
    "58030": "broken",  # I/O error
}
_REFUSALS: dict[Verdict, str] = {
    "full": "its disk is full. Make room there.",
    "read-only": (
        "it is read-only. Set ARENA_DATABASE_URL to the primary server, or let the arena write to"
        " the database."
    ),
}


def verdict_of(error: BaseException | None) -> Verdict:
    """Returns whether an error of SQLite or PostgreSQL means that nothing can be written."""
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        return _OF_SQLITE.get(code & 0xFF, "broken")
    return _OF_POSTGRES.get(_state(error))


def is_lost(error: BaseException | None) -> bool:
    """Whether the connection is unusable: it broke, its server stops or starts, or the server is no
    longer the primary and refuses writes."""
    state = _state(error) or ""
    return state.startswith(("08", "57P0")) or state == READ_ONLY


def unavailable(error: BaseException | None, where: str) -> Unavailable:
    """The error for a database; `where` is its location without a password."""
    if refusal := _REFUSALS.get(verdict_of(error)):
        return Unavailable(
            f"The database {where} refuses writes: {refusal}",
            f"The database refuses writes: {refusal}",
        )
    reason = " ".join(str(error).split()).rstrip(".")
    kind = Locked if is_locked(error) else Unavailable
    if is_damaged(error):
        return Damaged(
            f"The database {where} is damaged ({reason}). Stop the arena, keep a copy of the file,"
            " and restore the last backup with `arena restore`.",
            AWAY,
        )
    remedy = "Check the URL, and that it is running."
    if _CROWDED.search(reason):
        remedy = "Raise its max_connections or another limit that it names, or close connections."
    if isinstance(error, sqlite3.Error):
        remedy = "Check that the file exists, and that the arena may write to it and its folder."
    return kind(f"The database {where} cannot be used ({reason}). {remedy}", AWAY)


def is_failure(error: DBAPIError) -> bool:
    """Whether the database failed, rather than the statement."""
    # A server that ends an idle session reports an internal error.
    failed = error.connection_invalidated or isinstance(error, (OperationalError, InterfaceError))
    return failed or is_damaged(error.orig)


def is_damaged(error: BaseException | None) -> bool:
    """Whether the file of an SQLite database is damaged, or is something else."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED


def is_locked(error: BaseException | None) -> bool:
    """Whether another transaction held a lock for too long."""
    busy = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
    return busy or _state(error) == LOCKED


def _state(error: BaseException | None) -> str | None:
    """PostgreSQL's code for an error."""
    return getattr(error, "sqlstate", None)
