"""Real services for the tests: a Redis server for the whole run, emptied for each test."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from arena import cli
from arena.base import compiled
from arena.base.config import Settings
from arena.service.live.connect import connect
from arena.store import Store
from arena.store.tournaments.tournaments import Tournament
from dashboard import create_app
from dashboard.sdk.wheel import Wheel
from tests import servers
from tests.integration.people import person
from tests.integration.played import play, register
from tests.integration.worker_world import FakeGateway, World

# A class of Python's own cannot extend a compiled one. `make test` runs it in pure Python besides.
collect_ignore = ["games/test_fifth_game.py"] if compiled.in_use() else []

NAMES = ("ada", "bob", "cyd")


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Redis of a test may have been started a moment ago."""
    monkeypatch.setattr("arena.service.health.services.RECONNECT_S", 0)


@pytest.fixture(scope="session")
def redis_server() -> Iterator[str]:
    """URL of a Redis that lives as long as the test run."""
    with servers.redis_server() as url:
        yield url


@pytest.fixture
def redis_url(redis_server: str) -> str:
    """URL of an empty Redis."""
    with connect(redis_server) as client:
        client.flushall()
    return redis_server


@pytest.fixture
def redis_client(redis_url: str) -> Iterator[redis.Redis]:
    """A client of the empty Redis."""
    with connect(redis_url) as client:
        yield client


@pytest.fixture
def app(sqlite_store: Store, redis_client: redis.Redis, redis_url: str) -> Flask:
    """The dashboard of an arena that runs."""
    return create_app(Settings(redis_url=redis_url), sqlite_store, redis_client)


@pytest.fixture
def olga(app: Flask, sqlite_store: Store) -> FlaskClient:
    """An organiser."""
    return person(app, sqlite_store, "olga", organiser=True)


@pytest.fixture
def world(sqlite_store: Store, redis_client: redis.Redis) -> World:
    """A worker's world: the store, Redis, and nobody in it."""
    return World(sqlite_store, redis_client)


@pytest.fixture
def gateway(redis_client: redis.Redis) -> Iterator[FakeGateway]:
    """A gateway at which players are as the test says."""
    with FakeGateway(redis_client) as gateway:
        yield gateway


@dataclass(frozen=True)
class Ran:
    """A command that ended."""

    status: int
    out: str
    err: str


Run: TypeAlias = Callable[..., Ran]  # `arena` with these arguments


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs `arena ...` on the arena in the test's folder."""
    for name in ("ARENA_URL", "ARENA_TOKEN", "ARENA_ADMIN_TOKEN", "ARENA_REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ARENA_DATA", str(tmp_path))

    def call(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["arena", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            cli.main()
        captured = capsys.readouterr()
        return Ran(int(end.value.code or 0), captured.out, captured.err)

    return call


@pytest.fixture
def browser(sqlite_store: Store) -> FlaskClient:
    """A browser on the dashboard of an arena that does not run."""
    return create_app(Settings(), sqlite_store, None).test_client()


@pytest.fixture
def small_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Serves a few bytes instead of the package, because building it takes five seconds. For tests
    that walk through all addresses."""
    monkeypatch.setattr("dashboard.sdk.view.served", lambda: Wheel(b"a package", "its digest"))


@pytest.fixture
def finished(sqlite_store: Store) -> Tournament:
    """A finished tournament of three bots at tables of two."""
    register(sqlite_store, *NAMES)
    return play(sqlite_store, *NAMES)
