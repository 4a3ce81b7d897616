"""Opening a database, and upgrading its schema, which are separate steps.

Opening requires the schema version of this code. Upgrading is up to the operator (`arena db
upgrade`; `arena up` and `arena demo` do it in their own folder).
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL
from sqlalchemy.exc import DatabaseError

from arena.base.errors import NotFound, Unavailable
from arena.store.database_error import unavailable
from arena.store.database_url import parse_url, place
from arena.store.engine import CONNECTIONS, Store
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
    """Opens the store at `sqlite:///FILE` or `postgresql://...`, without changing it.

    `connections` is the maximum for each process, `wait_s` the time to wait for one. `archive` is
    the folder of archive files, by default `archive` next to the database file. `of_any_version` is
    for callers that check the version themselves. Raises InvalidRequest for another kind of URL,
    Unavailable if the database cannot be reached, SchemaMismatch if its schema belongs to another
    release, NotFound if the file does not exist.
    """
    parsed = parse_url(url)
    file = Path(parsed.database or "")
    if parsed.get_backend_name() == "sqlite" and not file.exists():
        raise NotFound(
            f"There is no arena database at {file}. Check the data folder or the URL, or create one"
            " with `arena db upgrade`."
        )
    store = Store(parsed, None if of_any_version else HEAD, connections, wait_s, archive)
    try:
        with _explained(store), store.read():
            return store
    except BaseException:
        store.dispose()
        raise


def upgrade_store(
    url: str,
    actor: Actor | None = None,
    tell: Tell = lambda _: None,
    archive: Path | None = None,
) -> Store:
    """Creates the schema or upgrades it, then opens the store. Only for the owner of the database:
    processes of an older release stop. The audit log notes the `actor`; `tell` gets the progress.

    Several processes may do this at once; users of the database wait. Raises SchemaMismatch if the
    schema is newer than this release.
    """
    parsed = _with_its_file(url)
    with Store(parsed, archive=archive) as store, _explained(store):
        migrate(store, actor, tell)
    return Store(parsed, HEAD, archive=archive)


def make_older(url: str, version: str) -> None:
    """Creates the tables of an older version in an empty database, for restoring a backup. Raises
    Unavailable."""
    with Store(_with_its_file(url)) as store, _explained(store), store.write() as conn:
        make_version(conn, version)


def version(url: str) -> str | None:
    """The version of a database's schema; None if it is empty or the file does not exist. Raises
    InvalidRequest and Unavailable."""
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite" and not Path(parsed.database or "").exists():
        return None
    with Store(parsed) as store, _explained(store), store.read() as conn:
        return revision(conn)


@contextmanager
def _explained(store: Store) -> Iterator[None]:
    """Raises Unavailable for the errors of a store that cannot be opened."""
    try:
        yield
    except (DatabaseError, sqlite3.Error) as error:
        cause = error.orig if isinstance(error, DatabaseError) else error
        raise unavailable(cause, place(store.url)) from error


def _with_its_file(url: str) -> URL:
    """The URL, parsed. Creates the file of a SQLite database if necessary."""
    parsed = parse_url(url)
    if parsed.get_backend_name() != "sqlite":
        return parsed
    file = Path(parsed.database or "")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # It contains digests of passwords and tokens.
        if not file.exists():
            file.touch(mode=0o600)
    except OSError as error:
        raise Unavailable(
            f"The folder {file.parent} of the database cannot be created or written to "
            f"({error.strerror}). Choose another data folder."
        ) from None
    return parsed
