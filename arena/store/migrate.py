"""Upgrades the schema of a database, and recomputes what is derived from its matches.

Each migration is one transaction, and so is recomputing at the end: no table is locked for longer
than its own change, readers continue and writers wait (see `arena.store.schema`). In between, and
after a failure, the database has a version that no process accepts. The next upgrade continues from
there.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import URL, Connection, text
from sqlalchemy.exc import OperationalError

from arena.base.errors import SchemaMismatch, Unavailable
from arena.store import schema
from arena.store.database_error import is_locked
from arena.store.dialects import lock_number
from arena.store.engine import BUSY_S, PATIENT, Store
from arena.store.registry.audit_log import Actor, note
from arena.store.schema import COUNTING, revision

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import Script

HEAD = "0106"  # the newest migration; a test compares it with the files
LOCK = 0x6C616D61  # number of PostgreSQL's advisory lock, which allows one migration at a time
WAIT_S = 60  # for transactions under way
MIGRATIONS = Path(__file__).with_name("migrations")

Tell = Callable[[str], None]


def migrate(store: Store, actor: Actor | None, tell: Tell) -> None:
    """Upgrades a database to HEAD and reports its progress to `tell`. Raises SchemaMismatch if the
    schema is newer than this release, Unavailable if other transactions do not end."""
    with store.read() as conn:
        before = revision(conn)
    if before == HEAD:
        return
    # Imported here: with NumPy and all projections, it takes longer than all else.
    from arena.store.rebuild import rebuild_changed

    if store.url.get_backend_name() == "sqlite":
        _use_wal(store.url)
    scripts = [] if before is None else _scripts()
    for target in _targets(before, scripts):
        with _alone(store) as conn:
            _step(conn, target, scripts, tell)
    with _alone(store) as conn:
        if _is_counting(revision(conn)):
            rebuild_changed(conn, tell)
            _set_version(conn, HEAD)
            if before is not None:
                note(conn, actor, "upgraded", "database", f"from version {before} to {HEAD}")


def make_version(conn: Connection, version: str) -> None:
    """Creates the tables of an older version in an empty database. Raises SchemaMismatch for an
    unknown version."""
    from alembic.command import upgrade

    if version not in [each.revision for each in _scripts()]:
        raise SchemaMismatch(schema.sentence(version, HEAD))
    upgrade(_config(conn), version)


def _targets(current: str | None, scripts: Sequence[Script]) -> list[str]:
    """The versions to stop at: each migration; an empty database is created in one step."""
    if current is None:
        return [HEAD]
    numbers = [each.revision for each in scripts]
    at = current.removesuffix(COUNTING)
    if at not in numbers:
        raise SchemaMismatch(schema.sentence(current, HEAD))
    return [number for number in numbers if number > at] or [HEAD]


def _step(conn: Connection, target: str, scripts: Sequence[Script], tell: Tell) -> None:
    """Runs one migration, or all for an empty database. The last one marks what to recompute."""
    from alembic.command import upgrade

    current = revision(conn)
    if current == HEAD or (current is not None and current.removesuffix(COUNTING) >= target):
        return  # another process was faster, or only recomputing is left
    if _is_counting(current):  # an interrupted upgrade to an older release: recompute at the end
        _set_version(conn, str(current).removesuffix(COUNTING))
    for script in scripts:
        if current is not None and current < script.revision <= target:
            title = script.doc.partition("\n")[0]
            tell(f"{script.revision} of {HEAD}: {title}")
    upgrade(_config(conn), target)
    if target == HEAD:
        _set_version(conn, HEAD + COUNTING)


def _is_counting(version: str | None) -> bool:
    return version is not None and version.endswith(COUNTING)


def _set_version(conn: Connection, version: str) -> None:
    conn.execute(text(f"UPDATE {schema.TABLE} SET version_num = :new"), {"new": version})  # noqa: S608


def _scripts() -> Sequence[Script]:
    """All migrations, oldest first."""
    # Imported here: it takes longer than opening a current database.
    from alembic.script import ScriptDirectory

    return list(ScriptDirectory.from_config(_config()).walk_revisions())[::-1]


def _config(conn: Connection | None = None) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = conn
    return config


@contextmanager
def _alone(store: Store) -> Iterator[Connection]:
    """A transaction without other writers; SQLite has only one at a time."""
    with store.write(PATIENT) as conn:
        if conn.dialect.name == "postgresql":
            keep_others_out(conn)
        yield conn


def keep_others_out(conn: Connection) -> None:
    """Waits for other migrations and all writing transactions under way, and blocks new ones until
    this transaction ends (PostgreSQL). Raises Unavailable after a minute."""
    conn.execute(text(f"SET LOCAL lock_timeout = '{WAIT_S}s'"))
    try:
        lock_number(conn, LOCK)
        if revision(conn) is not None:
            conn.execute(text(f"LOCK TABLE {schema.TABLE} IN EXCLUSIVE MODE"))
    except OperationalError as error:
        if not is_locked(error.orig):
            raise
        raise Unavailable(
            "Nothing was changed. Other processes have used the database without a pause for "
            f"{WAIT_S} s. Try again after a running rebuild, backup or upgrade."
        ) from error


def _use_wal(url: URL) -> None:
    """Lets readers and a writer work at the same time. The file stores this setting. Unlike other
    statements, this one does not wait for a lock, so it is repeated."""
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
