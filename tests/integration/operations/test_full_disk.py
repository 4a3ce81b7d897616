"""A disk without room, a database that can only be read: said where somebody looks."""

import errno
import os
import resource
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.service.live import keys, vitals
from arena.service.live.queues import QUEUES
from arena.store import Store, upgrade_store, writable
from arena.store.database_url import parse_url
from arena.store.registry import bots
from dashboard import create_app, sources
from tests.integration.store.test_store_opening import empty_database

Full = Callable[[], AbstractContextManager[None]]


@contextmanager
def no_file_grows() -> Iterator[None]:
    """Files of this process cannot grow over what a database without content has."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def disks() -> Iterator[str]:
    yield "limit"  # works everywhere
    if os.geteuid() == 0 and os.path.exists("/proc/mounts"):
        yield "disk"


@pytest.fixture(params=disks())
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, Full]]:
    """A folder, and what takes all room from the disk that it is on."""
    if request.param == "limit" or not mounted(tmp_path):
        yield tmp_path, no_file_grows
        return

    @contextmanager
    def filled() -> Iterator[None]:
        ballast = tmp_path / "ballast"
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        assert os.statvfs(tmp_path).f_bavail == 0
        yield
        ballast.unlink()

    yield tmp_path, filled
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def mounted(folder: Path) -> bool:
    """Whether a small disk of its own could be put there, for which a container may lack rights."""
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True).returncode == 0


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "PROBE_EVERY_S", -1.0)


def dashboard_of(store: Store, client: redis.Redis) -> FlaskClient:
    """A browser on the dashboard of an arena that is well but for its database."""
    client.set(keys.ANY_GATEWAY, "g1")
    client.eval(vitals.BEAT, 1, keys.GATEWAYS, "g1")
    vitals.beat_worker(client, "w1", QUEUES)
    vitals.swept(client)
    return create_app(Settings(), store, client).test_client()


def said_of_the_database(browser: FlaskClient) -> list[str]:
    problems = browser.get("/api/health").get_json()["problems"]
    return [sentence for sentence in problems if "database" in sentence]


def test_full_disk_is_reported_on_the_home_page_and_to_watchers(
    disk: tuple[Path, Full], redis_client: redis.Redis, often: None
) -> None:
    folder, full = disk
    store = upgrade_store(f"sqlite:///{folder / 'arena.db'}")
    browser = dashboard_of(store, redis_client)
    assert said_of_the_database(browser) == []
    assert browser.get("/healthz").status_code == 200

    with full():
        with pytest.raises(Unavailable, match="full|disk I/O error"), store.write() as conn:
            conn.execute(text("CREATE TABLE large AS SELECT zeroblob(9000000)"))
        (problem,) = said_of_the_database(browser)
        told, healthz, page = map(browser.get, ("/api/health", "/healthz", "/status"))

    assert told.get_json()["database"] == "full"
    assert "The disk of the database is full" in problem
    assert "Free some space there" in problem
    assert problem.replace("`", "") in page.text
    assert healthz.status_code == 503
    assert healthz.get_json()["missing"]["database"].startswith("The disk of the database")
    assert browser.get("/healthz").status_code == 200  # there is room again
    assert said_of_the_database(browser) == []
    with store.write() as conn:
        bots.register(conn, "ada")
    store.dispose()


def test_trying_changes_nothing(store: Store) -> None:
    def tables() -> list[Any]:
        with store.read() as conn:
            if conn.dialect.name == "sqlite":
                return list(conn.scalars(text("SELECT name FROM sqlite_master ORDER BY 1")))
            return list(conn.scalars(text("SELECT relname FROM pg_class ORDER BY 1")))

    before = tables()

    assert [writable.verdict(store) for _ in range(3)] == ["ok"] * 3
    assert tables() == before


def test_a_database_that_is_busy_tells_nothing(sqlite_store: Store) -> None:
    with sqlite_store.write():
        assert writable.verdict(sqlite_store) is None


def test_a_postgresql_server_that_only_reads_is_told_apart(
    postgres_url: str, redis_client: redis.Redis
) -> None:
    url = empty_database(postgres_url, "standby")
    upgrade_store(url).dispose()
    server = create_engine(parse_url(url), isolation_level="AUTOCOMMIT")
    with server.connect() as conn:
        conn.execute(text("ALTER DATABASE standby SET default_transaction_read_only = on"))
    server.dispose()
    store = Store(parse_url(url))

    assert writable.verdict(store) == "read-only"
    browser = dashboard_of(store, redis_client)
    assert browser.get("/healthz").status_code == 503
    assert "is read-only" in browser.get("/api/health").get_json()["problems"][0]
    store.dispose()


def test_a_folder_that_may_not_be_written_to_is_told_apart(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(**_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(tempfile, "TemporaryFile", refused)

    assert writable.verdict(sqlite_store) == "read-only"


@pytest.mark.parametrize(
    ("sqlstate", "found"), [("53100", "full"), ("25006", "read-only"), ("42501", None)]
)
def test_answers_of_postgresql_are_understood(
    postgres_store: Store, monkeypatch: pytest.MonkeyPatch, sqlstate: str, found: str | None
) -> None:
    class Refused(Exception):
        pass

    error = Refused()
    error.sqlstate = sqlstate  # type: ignore[attr-defined]

    def connect() -> None:
        raise OperationalError("INSERT", {}, error)

    monkeypatch.setattr(postgres_store.engine, "connect", connect)

    assert writable.verdict(postgres_store) == found


def test_however_many_ask_it_is_tried_every_few_seconds(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def verdict(store: Store) -> writable.Verdict:
        tried.append(store)
        return "ok"

    monkeypatch.setattr(sources, "verdict", verdict)
    browser = create_app(Settings(), sqlite_store, None).test_client()

    for path in ("/healthz", "/api/health", "/", "/healthz"):
        assert browser.get(path).status_code == 200

    assert len(tried) == 1


def test_last_finding_holds_while_the_state_is_unknown(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch, often: None
) -> None:
    findings = iter(["full", None, "ok"])
    monkeypatch.setattr(sources, "verdict", lambda _: next(findings))
    found = sources.Probe(sqlite_store)

    assert [found.look() for _ in range(3)] == ["full", "full", "ok"]
