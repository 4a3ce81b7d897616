"""A PostgreSQL server that refuses writes, as the old primary does after a switchover."""

from collections.abc import Callable, Iterator
from urllib.parse import unquote

import psycopg
import pytest
from psycopg.errors import AdminShutdown, ReadOnlySqlTransaction
from sqlalchemy import Connection, make_url, text
from sqlalchemy.exc import DBAPIError

from arena.base.errors import Unavailable
from arena.store.database_error import is_lost
from arena.store.database_url import parse_url, place
from arena.store.engine import Store
from arena.store.writable import verdict

REFUSES = r"The database postgresql://mover\S* refuses writes: it is read-only"
NOTE = text("INSERT INTO notes VALUES ('a')")
COUNT = text("SELECT count(*) FROM notes")

Administer = Callable[[str], object]


@pytest.fixture(scope="module")
def administer(postgres_url: str) -> Iterator[Administer]:
    """Runs a statement as the owner of the server, which has a database for this module."""
    with psycopg.connect(postgres_url, autocommit=True) as owner:
        owner.execute("CREATE ROLE mover LOGIN")
        owner.execute("CREATE DATABASE switchover OWNER mover")
        yield lambda statement: owner.execute(statement)
        owner.execute("DROP DATABASE switchover WITH (FORCE)")
        owner.execute("DROP ROLE mover")


@pytest.fixture
def moved(administer: Administer, postgres_url: str) -> Iterator[Store]:
    """The store of the role `mover`."""
    url = make_url(postgres_url).set(username="mover", database="switchover")
    store = Store(parse_url(url.render_as_string(hide_password=False)))
    with store.write() as conn:
        conn.execute(text("DROP TABLE IF EXISTS notes"))
        conn.execute(text("CREATE TABLE notes (word text)"))
    yield store
    store.dispose()


def demote(conn: Connection) -> int:
    """Has the server of this session refuse writes from the next transaction on, as PostgreSQL
    tells all sessions of a demoted server; returns the session's process."""
    conn.execute(text("SET default_transaction_read_only = on"))
    own = conn.scalar(text("SELECT pg_backend_pid()"))
    conn.commit()
    conn.info["opened"] -= 60
    return int(own or 0)


def test_a_write_gets_a_new_connection_where_the_open_ones_refuse(moved: Store) -> None:
    with moved.read() as first, moved.read() as second:
        demoted = {demote(first), demote(second)}

    for _ in range(3):
        with moved.write() as conn:
            conn.execute(NOTE)
            assert conn.scalar(text("SELECT pg_backend_pid()")) not in demoted
    with moved.read() as conn:
        assert conn.scalar(COUNT) == 3


def test_a_reader_leaves_the_old_primary(moved: Store) -> None:
    with moved.read() as conn:
        demoted = demote(conn)

    with moved.read() as conn:
        assert conn.scalar(text("SELECT pg_backend_pid()")) != demoted


def test_a_transaction_that_is_refused_is_unavailable_and_drops_all_connections(
    moved: Store,
) -> None:
    backend = text("SELECT pg_backend_pid()")
    with moved.read() as conn:
        before = {conn.scalar(backend)}

    def refused() -> None:
        with moved.write() as conn:
            before.add(conn.scalar(backend))
            conn.execute(text("SET TRANSACTION READ ONLY"))
            conn.execute(NOTE)

    with pytest.raises(Unavailable, match=REFUSES):
        refused()
    with moved.write() as conn:
        conn.execute(NOTE)
        assert conn.scalar(backend) not in before


def test_while_no_server_takes_writes_pages_are_read_and_then_play_goes_on(
    moved: Store, administer: Administer
) -> None:
    administer("ALTER ROLE mover SET default_transaction_read_only = on")
    moved.dispose()

    with pytest.raises(Unavailable, match=REFUSES), moved.write() as conn:
        conn.execute(NOTE)
    assert verdict(moved) == "read-only"
    with moved.read() as conn:
        assert conn.scalar(COUNT) == 0

    administer("ALTER ROLE mover RESET default_transaction_read_only")
    with moved.read() as conn:
        conn.info["opened"] -= 60
    with moved.write() as conn:
        conn.execute(NOTE)
    assert verdict(moved) == "ok"


def test_a_write_in_a_snapshot_is_a_bug_and_not_an_outage(moved: Store) -> None:
    with pytest.raises(DBAPIError, match="read-only transaction"), moved.snapshot() as conn:
        conn.execute(NOTE)


def test_a_url_may_list_servers_of_which_one_takes_writes(moved: Store) -> None:
    here = str(moved.url.query["host"])
    query = {"host": ("127.0.0.1:1", here), "target_session_attrs": "read-write"}
    either = Store(moved.url.set(query=query))
    with either.write() as conn:
        conn.execute(NOTE)
    either.dispose()

    with moved.read() as conn:
        assert conn.scalar(COUNT) == 1
    assert "host=127.0.0.1:1" in unquote(place(either.url))
    assert here in unquote(place(either.url))
    assert "session" not in place(either.url)


@pytest.mark.parametrize(
    ("error", "lost"),
    [
        (psycopg.errors.lookup("08006")(), True),
        (AdminShutdown(), True),
        (psycopg.errors.lookup("57P02")(), True),
        (psycopg.errors.lookup("57P03")(), True),
        (ReadOnlySqlTransaction(), True),
        (psycopg.errors.UniqueViolation(), False),
        (psycopg.errors.LockNotAvailable(), False),
        (psycopg.errors.QueryCanceled(), False),  # 57014: the statement was too slow
        (ValueError(), False),
    ],
)
def test_errors_that_another_connection_may_not_have(error: Exception, lost: bool) -> None:
    assert is_lost(error) is lost
