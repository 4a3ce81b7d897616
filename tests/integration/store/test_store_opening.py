"""Opening a database: made, brought up to date, shared, refused."""

import os
import re
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, make_url, select, text

from arena.base.errors import InvalidRequest, NotFound, Unavailable
from arena.store import Store, open_store, upgrade_store
from arena.store.database_error import Damaged
from arena.store.database_url import parse_url
from arena.store.migrate import HEAD, MIGRATIONS
from arena.store.registry import bots
from arena.store.schema import revision
from arena.store.tables import MATCH_TABLES, metadata
from tests import nursery


def test_the_migrations_lead_to_the_tables_of_the_code(store: Store) -> None:
    options: dict[str, Any] = {"compare_type": True}
    if store.url.get_backend_name() == "postgresql":
        options["include_object"] = not_of_a_month
    with store.read() as conn:
        context = MigrationContext.configure(conn, opts=options)

        assert compare_metadata(context, metadata) == []


def not_of_a_month(_: object, name: str | None, kind: str, reflected: bool, __: object) -> bool:
    """Not the tables of months, nor what only they have and the whole has not."""
    of_months = tuple(table.name for table in MATCH_TABLES)
    if kind == "table":
        return not (reflected and str(name).startswith(tuple(f"{each}_" for each in of_months)))
    if kind in ("unique_constraint", "foreign_key_constraint"):
        return not str(name)[3:].startswith(of_months)  # after uq_ or fk_
    return True


def test_the_newest_migration_is_the_one_the_code_asks_for(store: Store) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))

    assert ScriptDirectory.from_config(config).get_current_head() == HEAD
    with store.read() as conn:
        assert revision(conn) == HEAD


def test_a_new_file_is_made_with_the_folders_above_it(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "down" / "arena.db"

    upgrade_store(f"sqlite:///{file}").dispose()

    assert file.exists()
    assert file.stat().st_mode & 0o077 == 0  # protects digests of tokens and passwords


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_several_processes_may_make_the_same_database(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = f"sqlite:///{tmp_path / 'arena.db'}"
    if kind == "postgres":
        url = empty_database(request.getfixturevalue("postgres_url"), "together")
    env = {"ARENA_DATABASE_URL": url, "ARENA_DATA": str(tmp_path)}

    started = [nursery.start("arena.cli", "db", "upgrade", env=env) for _ in range(4)]
    said = [process.communicate(timeout=60)[0] for process in started]

    # The version before depends on how far the others are.
    done = rf"(Upgrading\..*\n)?(Created the|The|Upgraded the) database\b.*{HEAD}\.\n"
    assert [each for each in said if not re.fullmatch(done, each)] == []
    assert [process.returncode for process in started] == [0] * 4
    open_store(url).dispose()


def empty_database(url: str, name: str, template: str = "template1") -> str:
    """Creates a database, empty or a copy of the template, which must not be in use."""
    server = create_engine(parse_url(url), isolation_level="AUTOCOMMIT")
    with server.connect() as conn:
        conn.execute(text(f"CREATE DATABASE {name} TEMPLATE {template}"))
    server.dispose()
    return url.replace("/postgres?", f"/{name}?")


def test_opening_again_finds_the_stored_data(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'arena.db'}"
    first = upgrade_store(url)
    with first.write() as conn:
        bots.register(conn, "ada")
    first.dispose()

    second = open_store(url)

    with second.read() as conn:
        assert [bot.name for bot in bots.all_bots(conn)] == ["ada"]
    second.dispose()


def test_sqlite_is_set_up_for_readers_beside_a_writer(sqlite_store: Store) -> None:
    with sqlite_store.write() as writer, sqlite_store.read() as reader:
        bots.register(writer, "ada")

        assert bots.all_bots(reader) == []
        assert reader.scalar(text("PRAGMA journal_mode")) == "wal"
        assert reader.scalar(text("PRAGMA foreign_keys")) == 1


def test_after_an_error_nothing_of_the_transaction_is_stored(store: Store) -> None:
    def register_and_fail() -> None:
        with store.write() as conn:
            bots.register(conn, "ada")
            raise RuntimeError("on the way")

    with pytest.raises(RuntimeError, match="on the way"):
        register_and_fail()

    with store.read() as conn:
        assert bots.all_bots(conn) == []


def test_a_forked_child_uses_connections_of_its_own(tmp_path: Path) -> None:
    script = """
import os, sys
from arena.store import upgrade_store
from arena.store.registry import bots

store = upgrade_store(sys.argv[1])
with store.write() as conn:
    bots.register(conn, "parent")
children = []
for name in ("one", "two"):
    pid = os.fork()
    if pid == 0:
        with store.write() as conn:
            bots.register(conn, name)
        store.dispose()
        os._exit(0)
    children.append(pid)
assert [os.waitpid(pid, 0)[1] for pid in children] == [0, 0]
with store.read() as conn:
    print(*(bot.name for bot in bots.all_bots(conn)))
"""
    url = f"sqlite:///{tmp_path / 'arena.db'}"

    ran = subprocess.run([sys.executable, "-c", script, url], capture_output=True, timeout=60)

    assert ran.stderr == b""
    assert ran.stdout == b"one parent two\n"


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    file.write_text("this is a shopping list, not a database; " * 50)

    with pytest.raises(Damaged, match=r"is damaged \(file is not a database\)\. Stop the arena"):
        open_store(f"sqlite:///{file}")


def test_a_damaged_file_is_called_damaged(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    upgrade_store(f"sqlite:///{file}").dispose()
    content = bytearray(file.read_bytes())
    for page in range(2, len(content) // 4096):
        content[4096 * page : 4096 * page + 200] = b"\xff" * 200
    file.write_bytes(content)

    with pytest.raises(Damaged, match="restore the last backup"):
        open_store(f"sqlite:///{file}")


def test_a_file_that_cannot_be_opened_is_not_called_a_server(tmp_path: Path) -> None:
    (tmp_path / "arena.db").mkdir()

    with pytest.raises(Unavailable, match="the arena may write to it and its folder"):
        open_store(f"sqlite:///{tmp_path / 'arena.db'}")


def test_reading_does_not_make_a_database_where_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no arena database"):
        open_store(f"sqlite:///{tmp_path / 'arena.db'}")

    assert os.listdir(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")

    with pytest.raises(Unavailable, match=r"folder .*taken.* cannot be created"):
        upgrade_store(f"sqlite:///{tmp_path / 'taken' / 'arena.db'}")


def test_a_server_that_does_not_run_is_named_without_the_password(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"postgresql://ada:\*\*\*@") as refused:
        open_store(f"postgresql://ada:secret@/arena?host={tmp_path}")

    assert "secret" not in str(refused.value)
    assert "Check the URL, and that it is running" in str(refused.value)


def test_a_server_without_a_free_connection_is_not_called_stopped(
    migrated_postgres: Store, postgres_url: str
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as owner:
        owner.execute("CREATE ROLE crowd LOGIN CONNECTION LIMIT 0")
        try:
            with pytest.raises(Unavailable, match="Raise its max_connections") as refused:
                open_store(make_url(postgres_url).set(username="crowd").render_as_string())
        finally:
            owner.execute("DROP ROLE crowd")

    assert "too many connections" in str(refused.value)
    assert "running" not in str(refused.value)


def test_nothing_is_prepared_where_a_pooler_may_change_sessions(
    migrated_postgres: Store, postgres_url: str, tmp_path: Path
) -> None:
    url = make_url(postgres_url)
    server = Path(str(url.query["host"])) / ".s.PGSQL.5432"
    with pooler(tmp_path / server.name, server):
        pooled = open_store(url.update_query_dict({"host": str(tmp_path)}).render_as_string())
        assert prepared(pooled) == []
        pooled.dispose()

    assert prepared(migrated_postgres) == ["SELECT 42"]


def prepared(store: Store) -> list[str]:
    """The prepared statements of a connection that has often executed one."""
    with store.write() as conn:
        for _ in range(10):
            conn.execute(text("SELECT 42"))
        return list(
            conn.scalars(
                text("SELECT statement FROM pg_prepared_statements WHERE statement = 'SELECT 42'")
            )
        )


@contextmanager
def pooler(file: Path, server: Path) -> Iterator[None]:
    """Relays one connection. Like PgBouncer, it reports another process than the server's."""

    def relay(source: socket.socket, target: socket.socket) -> None:
        while data := source.recv(65536):
            target.sendall(re.sub(rb"K\0\0\0\x0c....", b"K\0\0\0\x0cpool", data, flags=re.S))
        target.shutdown(socket.SHUT_WR)

    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as behind:
        listener.bind(str(file))
        listener.listen()
        behind.connect(str(server))

        def serve() -> None:
            front, _ = listener.accept()
            with front:
                back = started(relay, front, behind)
                relay(behind, front)
                back.join()

        serving = started(serve)
        yield
        serving.join()


def started(run: Callable[..., None], *given: object) -> threading.Thread:
    """A started thread."""
    thread = threading.Thread(target=run, args=given, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize(
    "url", ["", "arena.db", "mysql://host/arena", "sqlite://", "sqlite:///:memory:"]
)
def test_other_urls_are_refused_with_an_example(url: str) -> None:
    with pytest.raises(InvalidRequest, match="sqlite:///FILE or postgresql://"):
        open_store(url)


def test_a_database_that_stays_locked_is_unavailable(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.store.engine.BUSY_S", 0)
    impatient = open_store(sqlite_store.url.render_as_string())
    other = sqlite3.connect(str(sqlite_store.url.database), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(Unavailable, match="locked"), impatient.write():
        pytest.fail("two writers at once")

    other.close()
    impatient.dispose()


def test_a_lost_connection_is_unavailable_and_the_next_try_works(postgres_store: Store) -> None:
    def lose_it() -> None:
        with postgres_store.write() as conn:
            own = conn.scalar(text("SELECT pg_backend_pid()"))
            with postgres_store.write() as other:
                other.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": own})
            bots.register(conn, "ada")

    with pytest.raises(Unavailable, match="terminating connection"):
        lose_it()

    with postgres_store.write() as conn:
        bots.register(conn, "bob")
        assert [bot.name for bot in bots.all_bots(conn)] == ["bob"]


def test_a_connection_in_use_is_closed_when_it_is_given_back(sqlite_store: Store) -> None:
    with sqlite_store.read() as conn:
        driver = conn.connection.dbapi_connection
        sqlite_store.dispose()
        assert conn.execute(select(1)).scalar() == 1

    assert driver is not None
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        driver.cursor()


def test_connections_are_kept_open_again_after_all_were_closed(sqlite_store: Store) -> None:
    sqlite_store.dispose()
    used = []
    for _ in range(2):
        with sqlite_store.read() as conn:
            used.append(conn.connection.dbapi_connection)

    assert used[0] is used[1]
