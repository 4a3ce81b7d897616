"""`arena healthcheck ROLE`: exit status 0 while the process of this role that runs here is well."""

import asyncio
import socket
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
import redis
import redis.asyncio

from arena.cli import healthcheck as of_containers
from arena.cli.healthcheck import ROLES as OFFERED
from arena.operations.doctor.role import ROLES
from arena.service.live import hosting, keys
from arena.service.live.queues import PLAY
from arena.service.live.vitals import ALIVE_S, BEAT, beat_worker, this_process
from arena.store import Store
from arena.store.registry import bots
from tests.integration.conftest import Run
from tests.servers import free_port

HERE = socket.gethostname()


@pytest.fixture
def arena(run: Run, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Commands that know the Redis of an arena, and no other arena on this machine."""
    monkeypatch.setenv("ARENA_REDIS_URL", redis_url)
    monkeypatch.setenv("ARENA_PORT", str(free_port()))
    monkeypatch.setenv("ARENA_DASHBOARD_PORT", str(free_port()))
    return run


def test_the_command_offers_the_roles_that_there_are() -> None:
    assert set(OFFERED) == ROLES.keys()


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("/opt/arena/bin/python /opt/arena/bin/arena beat", 0, "is alive"),
        ("/sbin/docker-init -- /opt/arena/bin/arena beat", 0, "is alive"),
        ("python /usr/bin/arena worker --prompt", 1, "has a heartbeat"),
        ("/opt/arena/bin/python /opt/arena/bin/arena host", 1, "has a heartbeat"),
        ("python /usr/bin/arena up", 1, "\ndashboard: http://"),
        ("python /usr/bin/arena db upgrade", 0, "nothing to check"),
        ("/sbin/init", 2, "Specify a role: gateway, worker"),
        ("python /usr/bin/arena", 2, "Specify a role: gateway, worker"),
    ],
)
def test_without_a_role_it_is_that_of_the_containers_process(
    arena: Run,
    redis_client: redis.Redis,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    status: int,
    said: str,
) -> None:
    first = tmp_path / "cmdline"
    monkeypatch.setattr(of_containers, "FIRST", first)
    redis_client.eval(BEAT, 1, keys.BEATS, this_process("beat"))

    for between in ("\0", " "):  # the second of a process that has named itself
        first.write_text(command.replace(" ", between) + "\0")
        ran = arena("healthcheck")
        assert ran.status == status
        assert said in ran.out + ran.err


def test_a_worker_is_well_while_one_on_this_machine_has_a_heartbeat(
    arena: Run, redis_client: redis.Redis
) -> None:
    beat_worker(redis_client, "arena-7@elsewhere", (PLAY,))
    assert arena("healthcheck", "worker").status == 1

    beat_worker(redis_client, f"arena-7@{HERE}", (PLAY,))
    ran = arena("healthcheck", "worker")
    assert (ran.status, ran.out) == (0, f"arena-7@{HERE} is alive.\n")

    beat_worker(redis_client, f"arena-7@{HERE}", (PLAY,), hangs=True)
    ran = arena("healthcheck", "worker")
    assert ran.status == 1
    assert "hangs" in ran.out


def test_a_host_is_well_while_one_on_this_machine_has_a_heartbeat(
    arena: Run, redis_client: redis.Redis, redis_url: str
) -> None:
    async def beat(host: str) -> None:
        async with redis.asyncio.from_url(redis_url) as client:
            await hosting.beat(client, host)

    asyncio.run(beat("abc@elsewhere"))
    ran = arena("healthcheck", "host")
    assert ran.status == 1
    assert "has a heartbeat" in ran.out

    asyncio.run(beat(f"abc@{HERE}"))
    ran = arena("healthcheck", "host")
    assert (ran.status, ran.out) == (0, f"abc@{HERE} is alive.\n")

    now, _ = redis_client.time()
    redis_client.zadd(keys.HOSTS, {f"abc@{HERE}": now - ALIVE_S - 2})
    assert arena("healthcheck", "host").status == 1


def test_beat_is_well_while_the_one_on_this_machine_has_a_heartbeat(
    arena: Run, redis_client: redis.Redis
) -> None:
    assert arena("healthcheck", "beat").status == 1
    redis_client.eval(BEAT, 1, keys.BEATS, this_process("beat"))
    assert arena("healthcheck", "beat").status == 0


def test_gateway_without_listener_is_unhealthy(arena: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_PORT", str(free_port()))
    ran = arena("healthcheck", "gateway")
    assert ran.status == 1
    assert "`arena gateway`" in ran.out


@pytest.mark.parametrize(("answer", "status"), [(200, 0), (503, 1)])
def test_a_dashboard_is_as_well_as_it_says(
    arena: Run, monkeypatch: pytest.MonkeyPatch, answer: int, status: int
) -> None:
    class Dashboard(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(answer)
            self.end_headers()
            self.wfile.write(b'{"status": "as it is"}')

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Dashboard) as server:
        Thread(target=server.handle_request).start()
        monkeypatch.setenv("ARENA_DASHBOARD_PORT", str(server.server_port))
        assert arena("healthcheck", "dashboard").status == status


def test_without_redis_it_says_so_in_a_sentence(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_REDIS_URL", f"redis://127.0.0.1:{free_port()}/0")
    ran = run("healthcheck", "worker")
    assert ran.status == 1
    assert ran.out.startswith("Redis at 127.0.0.1:")


def test_house_bots_that_are_not_connected_are_named(
    arena: Run, sqlite_store: Store, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATABASE_URL", f"sqlite:///{sqlite_store.url.database}")
    with sqlite_store.write() as conn:
        bots.register(conn, "five", kind="house")
    assert "No process" in arena("healthcheck", "house").out
    hosting.hold_house(redis_client, "one")
    ran = arena("healthcheck", "house")
    assert (ran.status, ran.out) == (1, "Not connected: five. See the bot's log.\n")
