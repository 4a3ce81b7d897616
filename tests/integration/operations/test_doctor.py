"""`arena doctor` on real installations: none yet, on real services, and with secrets in URLs."""

import errno
import json
from pathlib import Path
from typing import Any

import pytest
import redis
from sqlalchemy import create_engine, make_url, text

from arena.operations.doctor.servers import ask_dashboard, ask_gateway
from arena.operations.embedded import redis_url as url_of
from arena.service.live import keys, vitals
from arena.service.live.queues import QUEUES
from arena.store import Store
from tests.integration.conftest import Run
from tests.integration.gateway_world import scenario, world
from tests.integration.store.test_store_opening import empty_database
from tests.servers import free_port

SECRET = "hunter2"


@pytest.fixture(autouse=True)
def _ports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ports of the test's own, whatever runs on this machine."""
    monkeypatch.setenv("ARENA_PORT", str(free_port()))
    monkeypatch.setenv("ARENA_DASHBOARD_PORT", str(free_port()))
    monkeypatch.setenv("ARENA_MAX_CONNECTIONS", "100")


def findings(run: Run, *arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run("doctor", "--json", *arguments).out.splitlines()]


def wrong(found: list[dict[str, Any]]) -> list[str]:
    return [f"{each['about']}: {each['sentence']}" for each in found if each["state"] == "wrong"]


def test_where_nothing_was_started_nothing_is_wrong(run: Run, tmp_path: Path) -> None:
    ran = run("doctor")

    assert (ran.status, ran.out.splitlines()[-1]) == (0, "Nothing is wrong."), ran.out
    assert "`arena up` creates it" in ran.out
    assert "`arena up` starts" in ran.out  # a Redis
    assert not (tmp_path / "arena.db").exists()
    assert list(tmp_path.iterdir()) == []


def test_services_that_are_well_are_told_with_what_lives(
    run: Run, store: Store, redis_client: redis.Redis, redis_url: str, monkeypatch: Any
) -> None:
    monkeypatch.setenv("ARENA_REDIS_URL", redis_url)
    monkeypatch.setenv("ARENA_DATABASE_URL", store.url.render_as_string(hide_password=False))
    redis_client.eval(vitals.BEAT, 1, keys.GATEWAYS, "g1")
    vitals.beat_worker(redis_client, "w1", QUEUES)
    vitals.swept(redis_client)

    found = findings(run)

    assert wrong(found) == []
    assert {each["about"] for each in found} >= {"Redis", "database", "beat", "workers"}


def test_a_worker_that_is_missing_is_wrong(
    run: Run, store: Store, redis_client: redis.Redis, redis_url: str, monkeypatch: Any
) -> None:
    monkeypatch.setenv("ARENA_REDIS_URL", redis_url)
    monkeypatch.setenv("ARENA_DATABASE_URL", store.url.render_as_string(hide_password=False))
    redis_client.eval(vitals.BEAT, 1, keys.GATEWAYS, "g1")

    ran = run("doctor")

    assert ran.status == 1
    assert "`arena worker`" in ran.out
    assert ran.out.splitlines()[-1].endswith((" problem.", " problems."))


def test_a_server_that_evicts_is_said(
    run: Run, redis_client: redis.Redis, redis_url: str, monkeypatch: Any
) -> None:
    monkeypatch.setenv("ARENA_REDIS_URL", redis_url)
    redis_client.config_set("maxmemory-policy", "allkeys-lru")
    try:
        found = wrong(findings(run))
    finally:
        redis_client.config_set("maxmemory-policy", "noeviction")

    assert any("evicts keys" in sentence for sentence in found)


def test_with_only_the_database_down_beat_is_its_consequence(
    run: Run, redis_client: redis.Redis, redis_url: str, monkeypatch: Any
) -> None:
    monkeypatch.setenv("ARENA_REDIS_URL", redis_url)
    monkeypatch.setenv("ARENA_DATABASE_URL", f"postgresql://arena@127.0.0.1:{free_port()}/arena")
    redis_client.eval(vitals.BEAT, 1, keys.GATEWAYS, "g1")
    redis_client.eval(vitals.BEAT, 1, keys.BEATS, "beat-1@elsewhere")
    vitals.beat_worker(redis_client, "w1", QUEUES)

    found = {each["about"]: each for each in findings(run)}

    assert [about for about, each in found.items() if each["state"] == "wrong"] == ["database"]
    assert found["beat"]["because"] == "database"
    assert "Cause: database." in run("doctor").out


def test_a_database_of_another_version_or_without_tables_is_said(
    run: Run, postgres_url: str, sqlite_store: Store, monkeypatch: Any
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", empty_database(postgres_url, "for_the_doctor"))
    empty = wrong(findings(run))
    engine = create_engine(sqlite_store.url)
    with engine.begin() as conn:
        conn.execute(text("UPDATE alembic_version SET version_num = '0007'"))
    engine.dispose()
    monkeypatch.setenv("ARENA_DATABASE_URL", f"sqlite:///{sqlite_store.url.database}")
    older = wrong(findings(run))

    assert empty == ["database: The database is empty. Create its tables with `arena db upgrade`."]
    assert "version 0007" in older[0]


@pytest.mark.parametrize("where", ["gone", "wrong password"])
def test_no_secret_is_told(
    run: Run, where: str, postgres_url: str, redis_url: str, monkeypatch: Any
) -> None:
    port = free_port()
    broken = {
        "gone": (f"postgresql://arena:{SECRET}@127.0.0.1:{port}/arena", url_of(port, SECRET)),
        "wrong password": (
            f"postgresql://arena:{SECRET}/@127.0.0.1:{port}/arena",
            url_of(make_url(redis_url).port or 0, SECRET),
        ),
    }
    monkeypatch.setenv("ARENA_DATABASE_URL", broken[where][0])
    monkeypatch.setenv("ARENA_REDIS_URL", broken[where][1])
    monkeypatch.setenv("ARENA_ADMIN_TOKEN", SECRET)
    monkeypatch.setenv("ARENA_SECRET_KEY", SECRET)
    monkeypatch.setenv("ARENA_REDIS_PASSWORD", SECRET)

    ran, as_json = run("doctor"), run("doctor", "--json")

    assert ran.status == as_json.status == 1
    assert "Redis at 127.0.0.1" in ran.out
    for told in (ran, as_json):
        assert SECRET not in told.out + told.err
        assert "Traceback" not in told.err


def test_a_setting_that_cannot_be_read_ends_the_examination(run: Run, monkeypatch: Any) -> None:
    monkeypatch.setenv("ARENA_WINDOW", "many")

    ran = run("doctor")

    assert ran.status == 1
    assert "ARENA_WINDOW is 'many'" in ran.out


def test_a_folder_of_another_user_is_said(run: Run, tmp_path: Path, monkeypatch: Any) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("arena.base.folder.find_running", refused)
    monkeypatch.setattr("arena.service.health.state.open_store", refused)

    ran = run("doctor")

    assert ran.status == 1
    assert ran.out.count("Permission denied") == 2
    assert "Traceback" not in ran.err


@scenario
async def test_gateways_answer_and_others_do_not(sqlite_store: Store, redis_url: str) -> None:
    import asyncio

    async with world(sqlite_store, redis_url) as w:
        port = w.gateways[0].port
        gateway = await asyncio.to_thread(ask_gateway, f"127.0.0.1:{port}")
        dashboard = await asyncio.to_thread(ask_dashboard, f"http://127.0.0.1:{port}")
    nobody = await asyncio.to_thread(ask_gateway, f"127.0.0.1:{free_port()}")

    assert (gateway.there, gateway.well, gateway.word) == (True, True, "SERVING")
    assert not dashboard.there
    assert not nobody.there
