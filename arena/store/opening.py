"""Opening a database, and bringing its schema up to date: two different things.

Whoever opens one gets it only if its schema is the one that this code wants. Migrating is for the
owner (`arena db upgrade`; `arena up` and `arena demo` in the folder that is their own).
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, Connection, text
from sqlalchemy.exc import DatabaseError, OperationalError

from arena.errors import NotFound, SchemaMismatch, Unavailable
from arena.store import schema
from arena.store.engine import BUSY_S, CONNECTIONS, PATIENT, Store, explain, parse_url
from arena.store.engine import WAIT_S as CONNECTION_WAIT_S
from arena.store.projections import PROJECTIONS
from arena.store.rebuild import note_versions, rebuild_changed
from arena.store.registry.audit_log import Actor, note
from arena.store.schema import revision

HEAD = "0019"  # the newest migration; a test compares it with the files
COUNTED_SINCE = "0007"  # older ones lack sums over deals, histories of Elo or results by seat
VERSIONED_SINCE = "0013"  # older ones keep projections of version 1, and do not say so
ADDED_SINCE = ("fault_streaks",)  # projections that those do not have
LOCK = 0x6C616D61  # names the advisory lock in PostgreSQL, which keeps two migrations apart
LOCK_NOT_AVAILABLE = "55P03"
WAIT_S = 60  # how long a migration waits for transactions under way
MIGRATIONS = Path(__file__).with_name("migrations")


def open_store(
    url: str, *, connections: int = CONNECTIONS, wait_s: float = CONNECTION_WAIT_S
) -> Store:
    """The store at `sqlite:///FILE` or `postgresql://...`, as it is; see `upgrade_store`.

    Each process has at most so many connections, and waits so long for one. Raises InvalidRequest
    for another kind of URL, Unavailable if the database cannot be reached, SchemaMismatch if its
    schema is of another release, and NotFound if there is no such file.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        _find_file(Path(parsed.database or ""))
    store = Store(parsed, HEAD, connections, wait_s)
    with _disposed_on_error(store), store.read():
        return store


def upgrade_store(url: str, actor: Actor | None = None) -> Store:
    """The same, its schema made or brought up to date first. Only who owns the database may do
    so: processes of an older release that use it stop. Whose work it is, the audit log says.

    Several processes may do so at once; who uses the database waits. Raises SchemaMismatch if it
    comes from a newer release.
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        _make_file(Path(parsed.database or ""))
    store = Store(parsed)
    with _disposed_on_error(store):
        _migrate(store, actor)
    store.dispose()
    return Store(parsed, HEAD)


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
        raise Unavailable(explain(store.url, cause)) from error
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


def _migrate(store: Store, actor: Actor | None) -> None:
    with store.read() as conn:
        if revision(conn) == HEAD:
            return
    if store.url.get_backend_name() == "sqlite":
        _use_wal(store.url)
    with store.write(PATIENT) as conn:  # in SQLite the only writer
        if conn.dialect.name == "postgresql":
            keep_others_out(conn)
        before = revision(conn)
        _upgrade(conn, before)
        if before not in (None, HEAD):
            note(conn, actor, "upgraded", "database", f"from version {before} to {HEAD}")


def keep_others_out(conn: Connection) -> None:
    """Waits for other migrations and for every transaction under way, and lets none begin until
    this one ends (PostgreSQL). Raises Unavailable after a minute."""
    conn.execute(text(f"SET LOCAL lock_timeout = '{WAIT_S}s'"))
    try:
        conn.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        if revision(conn) is not None:
            conn.execute(text(f"LOCK TABLE {schema.TABLE} IN ACCESS EXCLUSIVE MODE"))
    except OperationalError as error:
        if getattr(error.orig, "sqlstate", None) != LOCK_NOT_AVAILABLE:
            raise
        raise Unavailable(
            f"Others have used the database without a pause for {WAIT_S} s, so nothing "
            "was changed: try again when what they do is over (a rebuild, a backup, an upgrade)."
        ) from error


def _upgrade(conn: Connection, current: str | None) -> None:
    if current == HEAD:  # another process was faster
        return
    # Imported here: it takes longer than opening a database that is up to date.
    from alembic.command import upgrade
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = conn
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if current is not None and current not in known:
        raise SchemaMismatch(schema.sentence(current, HEAD))
    upgrade(config, "head")
    if current is not None and COUNTED_SINCE <= current < VERSIONED_SINCE:
        kept = [each.name for each in PROJECTIONS if each.name not in ADDED_SINCE]
        note_versions(conn, dict.fromkeys(kept, 1))
    rebuild_changed(conn)


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
