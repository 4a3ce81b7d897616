"""Opening a database, and bringing its schema up to date: two different things.

Whoever opens one gets it only if its schema is the one that this code wants. Migrating is for the
owner (`arena db upgrade`; `arena up` and `arena demo` in the folder that is their own).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DatabaseError

from arena.base.errors import NotFound, Unavailable
from arena.store.database_error import unavailable
from arena.store.engine import CONNECTIONS, Store, parse_url, place
from arena.store.engine import WAIT_S as CONNECTION_WAIT_S
from arena.store.migrate import HEAD, Tell, make_version, migrate
from arena.store.registry.audit_log import Actor
from arena.store.schema import revision


def open_store(
    url: str,
    *,
    connections: int = CONNECTIONS,
    wait_s: float = CONNECTION_WAIT_S,
    archive: Path | None = None,
    of_any_version: bool = False,
) -> Store:
    """The store at `sqlite:///FILE` or `postgresql://...`, as it is; see `upgrade_store`.

    Each process has at most so many connections, and waits so long for one. `archive` is the folder
    of the files with older matches, by default `archive` beside the database's file. A store
    `of_any_version` is for those who look at the version themselves. Raises
    InvalidRequest for another kind of URL, Unavailable if the database cannot be reached,
    SchemaMismatch if its schema is of another release, and NotFound if there is no such file.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        _find_file(Path(parsed.database or ""))
    store = Store(parsed, None if of_any_version else HEAD, connections, wait_s, archive)
    with _disposed_on_error(store), store.read():
        return store


def upgrade_store(
    url: str,
    actor: Actor | None = None,
    tell: Tell = lambda _: None,
    archive: Path | None = None,
) -> Store:
    """The same, its schema made or brought up to date first. Only who owns the database may do
    so: processes of an older release that use it stop. Whose work it is, the audit log says; what
    it is at is told in sentences.

    Several processes may do so at once; who uses the database waits. Raises SchemaMismatch if it
    comes from a newer release.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        _make_file(Path(parsed.database or ""))
    store = Store(parsed, archive=archive)
    with _disposed_on_error(store):
        migrate(store, actor, tell)
    store.dispose()
    return Store(parsed, HEAD, archive=archive)


def make_older(url: str, version: str) -> None:
    """Makes the tables of an older version in an empty database, to restore a backup into. Raises
    Unavailable."""
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        _make_file(Path(parsed.database or ""))
    store = Store(parsed)
    with _disposed_on_error(store), store.write() as conn:
        make_version(conn, version)
    store.dispose()


def version(url: str) -> str | None:
    """The version of a database's schema; None if it is empty or there is no such file.

    Raises InvalidRequest and Unavailable.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite" and not Path(parsed.database or "").exists():
        return None
    store = Store(parsed)
    try:
        with _disposed_on_error(store), store.read() as conn:
            return revision(conn)
    finally:
        store.dispose()


@contextmanager
def _disposed_on_error(store: Store) -> Iterator[None]:
    """Closes a store that cannot be opened, and says why in a sentence."""
    try:
        yield
    except (DatabaseError, sqlite3.Error) as error:
        store.dispose()
        cause = error.orig if isinstance(error, DatabaseError) else error
        raise unavailable(cause, place(store.url)) from error
    except BaseException:
        store.dispose()
        raise


def _find_file(file: Path) -> None:
    if not file.exists():
        raise NotFound(
            f"There is no arena database at {file}: check the data folder or the URL, or make one "
            "with `arena db upgrade`."
        )


def _make_file(file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # What people sign in with and bots connect with is in it, if only as digests.
        if not file.exists():
            file.touch(mode=0o600)
    except OSError as error:
        raise Unavailable(
            f"The folder {file.parent} of the database cannot be made or written to "
            f"({error.strerror}): choose another data folder."
        ) from None
