"""Opening a database: its schema is brought up to date once, however many processes start."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from sqlalchemy import URL, Connection, inspect, text
from sqlalchemy.exc import DatabaseError

from arena.errors import NotFound, Unavailable
from arena.store.connect import BUSY_S, CONNECTIONS, WAIT_S, Store, explain, parse_url
from arena.store.recount import count_all_again

HEAD = "0009"  # the newest migration; a test compares it with the files
# These keep no sums over deals, no courses of Elo or no results by seat.
UNCOUNTED = ("0001", "0002", "0003", "0004", "0005", "0006")
LOCK = 0x6C616D61  # names the advisory lock in PostgreSQL
MIGRATIONS = Path(__file__).with_name("migrations")


def open_store(
    url: str, create: bool = True, *, connections: int = CONNECTIONS, wait_s: float = WAIT_S
) -> Store:
    """The store at `sqlite:///FILE` or `postgresql://...`, its schema brought up to date.

    Each process has at most so many connections, and waits so long for one. Several processes
    may open it at once. Raises InvalidRequest for another kind of URL,
    Unavailable if the database cannot be reached or comes from a newer release, and
    NotFound if `create` is false and there is no database file.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        _check_file(Path(parsed.database or ""), create)
    store = Store(parsed, connections, wait_s)
    try:
        _migrate(store)
    except (DatabaseError, sqlite3.Error) as error:
        store.dispose()
        cause = error.orig if isinstance(error, DatabaseError) else error
        raise Unavailable(explain(parsed, cause)) from error
    except BaseException:
        store.dispose()
        raise
    return store


def revision(conn: Connection) -> str | None:
    """The migration that the database is at; None if it is empty."""
    if not inspect(conn).has_table("alembic_version"):
        return None
    found = conn.scalar(text("SELECT version_num FROM alembic_version"))
    return None if found is None else str(found)


def _check_file(file: Path, create: bool) -> None:
    if not create and not file.exists():
        raise NotFound(f"There is no arena database at {file}: check the data folder or the URL.")
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


def _migrate(store: Store) -> None:
    with store.read() as conn:
        if revision(conn) == HEAD:
            return
    if store.url.get_backend_name() == "sqlite":
        _use_wal(store.url)
    with store.write() as conn:  # in SQLite the only writer
        if conn.dialect.name == "postgresql":
            conn.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        _upgrade(conn, revision(conn))


def _upgrade(conn: Connection, found: str | None) -> None:
    if found == HEAD:  # another process was faster
        return
    # Imported here: it takes longer than opening a database that is up to date.
    from alembic.command import upgrade
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = conn
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        raise Unavailable(
            f'The database was made by a newer lama-arena (its schema is "{found}", '
            f'this one knows "{HEAD}"): upgrade lama-arena.'
        )
    upgrade(config, "head")
    if found in UNCOUNTED:
        count_all_again(conn)


def _use_wal(url: URL) -> None:
    """Lets readers and a writer work side by side; the file remembers it.

    Other statements wait for a lock, this one has to be repeated.
    """
    deadline = time.monotonic() + BUSY_S
    connection = sqlite3.connect(url.database or "", isolation_level=None)
    try:
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
            else:
                return
    finally:
        connection.close()
