"""Who keeps a lock in PostgreSQL, or stands still in a transaction, stops nobody else for long."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import redis
from sqlalchemy import Connection, text

from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.store import Store, engine, open_store
from arena.store.tournaments import tournaments
from tests.integration.worker_world import FakeGateway, World
from workers import tasks


@pytest.fixture
def store(postgres_store: Store) -> Store:
    return postgres_store


@contextmanager
def locked(store: Store, tournament: int) -> Iterator[Connection]:
    """Somebody keeps a tournament's row, for example at a prompt of psql."""
    other = open_store(store.url.render_as_string(hide_password=False))
    with other.write(engine.PATIENT) as conn:
        tournaments.lock_row(conn, tournament)
        yield conn
    other.dispose()


def test_one_locked_tournament_does_not_keep_a_sweep_from_the_others(
    store: Store, redis_client: redis.Redis, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All stood still for 40 s."""
    world = World(store, redis_client)
    monkeypatch.setattr(tasks, "store", lambda: store)
    monkeypatch.setattr(tasks, "client", lambda: redis_client)
    monkeypatch.setattr(tasks, "settings", lambda: Settings(redis_url=redis_url))
    monkeypatch.setattr(tasks, "wake", lambda waiting: None)
    monkeypatch.setattr(tasks.luck, "apply_async", lambda args: None)
    first, second = (world.tournament(names) for names in (("a", "b", "c"), ("d", "e", "f")))

    with FakeGateway(redis_client) as gateway, locked(store, first.id):
        gateway.connect(*first.players, *second.players)
        began = time.monotonic()
        tasks.sweep()
        took = time.monotonic() - began

    assert {tournament for tournament, _ in world.waiting()} == {second.id}
    assert took < engine.LOCK_MS / 1000
    tasks.sweep()
    assert {tournament for tournament, _ in world.waiting()} == {first.id, second.id}


def test_wait_for_a_lock_is_reported_in_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(engine.LIMITS, "lock_timeout", 300)
    tournament = World(store, redis.Redis()).tournament()
    hasty = open_store(store.url.render_as_string(hide_password=False))

    with (
        locked(store, tournament.id),
        pytest.raises(Unavailable, match="lock timeout"),
        hasty.write() as conn,
    ):
        tournaments.lock(conn, tournament.id)
    hasty.dispose()


def test_idle_transaction_loses_its_locks(store: Store) -> None:
    tournament = World(store, redis.Redis()).tournament()
    limits = {"idle_in_transaction_session_timeout": 300}

    def stand_still() -> None:
        with store.write(limits) as conn:
            tournaments.lock(conn, tournament.id)
            time.sleep(1.0)
            conn.execute(text("SELECT 1"))

    with pytest.raises(Unavailable, match="idle-in-transaction"):
        stand_still()

    with store.write(engine.HURRIED) as conn:
        assert tournaments.lock(conn, tournament.id).id == tournament.id


def test_a_rebuild_takes_as_long_as_it_likes(store: Store) -> None:
    with store.write(engine.PATIENT) as conn:
        limits = [conn.scalar(text(f"SHOW {name}")) for name in engine.LIMITS]
    assert limits == ["0", "0", "0"]
    with store.write() as conn:
        limits = [conn.scalar(text(f"SHOW {name}")) for name in engine.LIMITS]
    assert limits == ["10s", "5min", "15s"]
    with store.read() as conn:
        assert conn.scalar(text("SHOW idle_in_transaction_session_timeout")) == "5min"


def test_options_of_the_url_take_precedence(store: Store) -> None:
    url = store.url.update_query_dict({"options": "-c lock_timeout=7s"})
    own = open_store(url.render_as_string(hide_password=False))
    with own.read() as conn:
        assert conn.scalar(text("SHOW lock_timeout")) == "7s"
        assert conn.scalar(text("SHOW statement_timeout")) == "5min"
    own.dispose()
