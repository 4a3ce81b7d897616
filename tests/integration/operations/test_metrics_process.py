"""Metrics of worker, beat and dashboard, as Prometheus would fetch them."""

import os
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import psutil
import pytest
import redis
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from arena.base.config import Settings
from arena.base.errors import AlreadyExists, Unavailable
from arena.operations.supervise import ports, stack
from arena.operations.supervise.supervisor import Supervisor
from arena.service.health.services import MOST_APART_S
from arena.store import Store
from arena.store.matches.model import FaultNote
from arena.store.registry import accounts, bots
from arena.store.registry.webhooks import deliveries, hooks
from tests.integration.people import HASHED
from tests.integration.worker_world import FakeGateway, World
from tests.made_results import entered, results
from workers.setup import metrics
from workers.setup.connections import outages_logged
from workers.setup.metrics_server import counted
from workers.setup.run import run_worker

HERE = "127.0.0.1"
PATIENCE_S = 60.0


def page(port: int) -> str:
    """What is served there; "" where nobody listens."""
    try:
        with urllib.request.urlopen(f"http://{HERE}:{port}/metrics", timeout=5) as answer:
            return str(answer.read().decode())
    except OSError:
        return ""


def value(text: str, sample: str) -> float:
    found = re.search(rf"^{re.escape(sample)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.05)


@pytest.fixture
def settings(sqlite_store: Store, redis_url: str, tmp_path: Path) -> Settings:
    first = next(
        port
        for port in range(20_000 + os.getpid() % 20_000, 65_000, 5)
        if all(ports.is_free(HERE, port + offset) for offset in range(5))
    )
    return Settings(
        data=tmp_path,
        database_url=f"sqlite:///{sqlite_store.url.database}",
        redis_url=redis_url,
        workers=2,
        metrics_port=first,
        dashboard_port=ports.any_free(HERE),
    )


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    with Supervisor(tmp_path / "logs") as supervisor:
        yield supervisor


def folders_of(worker: psutil.Process) -> list[Path]:
    """Where its processes count: what the process that serves them was told."""
    folders = []
    for child in worker.children():
        with suppress(psutil.NoSuchProcess):  # it has just ended
            if "metrics" in str(command := child.cmdline()):
                folders.append(Path(command[-1]))
    return folders


def test_a_workers_processes_are_counted_together_and_beat_tells_of_the_arena(
    settings: Settings, supervisor: Supervisor
) -> None:
    supervisor.start(stack.worker(settings))
    supervisor.start(stack.beat(settings))
    of_worker, of_beat = settings.metrics_port + 1, settings.metrics_port + 3

    until(lambda: value(page(of_worker), 'arena_task_seconds_count{task="arena.sweep"}') >= 2)
    until(lambda: value(page(of_beat), "arena_workers") == 1)
    told = page(of_beat)
    assert value(page(of_worker), 'arena_task_wait_seconds_count{task="arena.sweep"}') >= 1
    assert value(told, "arena_redis") == value(told, "arena_database") == 1
    assert value(told, "arena_unrated") == 0
    assert "arena_seconds_without_worker 0.0" in told
    assert value(told, 'arena_free_bytes{folder="data"}') > 0
    clock = f'arena_clock_offset_seconds{{host="{socket.gethostname()}",process="worker"}}'
    until(lambda: clock in page(of_beat))
    assert abs(value(page(of_beat), clock)) < MOST_APART_S
    assert "# TYPE arena_queued gauge" in told


def test_a_worker_that_is_killed_leaves_no_server_and_no_folder(
    settings: Settings, supervisor: Supervisor
) -> None:
    supervisor.start(stack.worker(settings))
    port = settings.metrics_port + 1
    until(lambda: "arena_decisions_asked" in page(port))
    (worker,) = [each for each in psutil.Process().children(recursive=True) if folders_of(each)]
    (folder,) = folders_of(worker)
    assert folder.is_dir()

    worker.kill()
    supervisor.stop()

    until(lambda: not folder.exists() and not page(port))


def test_a_dashboard_counts_its_requests_by_page(
    settings: Settings, supervisor: Supervisor
) -> None:
    supervisor.start(stack.dashboard(settings))
    supervisor.await_ready("dashboard")
    address = f"http://{HERE}:{settings.dashboard_port}"
    for path in ("/ratings", "/bots/nobody", "/nothing-here"):
        try:
            urllib.request.urlopen(f"{address}{path}", timeout=20).close()
        except urllib.error.HTTPError as error:
            error.close()

    text = page(settings.metrics_port + 4)
    assert value(text, 'arena_http_requests_total{page="ratings.show",status="200"}') == 1
    assert value(text, 'arena_http_requests_total{page="bot.show",status="404"}') == 1
    assert value(text, 'arena_http_requests_total{page="none",status="404"}') == 1
    assert value(text, 'arena_http_seconds_count{page="ratings.show"}') == 1
    assert "arena_redis_errors_total 0.0" in text
    assert "nothing-here" not in text


class Receiver(BaseHTTPRequestHandler):
    """Takes whatever comes."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_a_dashboard_calls_webhooks_and_counts_them(
    settings: Settings, supervisor: Supervisor, sqlite_store: Store
) -> None:
    with HTTPServer((HERE, 0), Receiver) as receiver:
        threading.Thread(target=receiver.serve_forever, args=(0.01,), daemon=True).start()
        with sqlite_store.write() as conn:
            account = accounts.sign_up(conn, "ada", HASHED).id
            url = f"http://{HERE}:{receiver.server_port}/"
            hook = hooks.add(conn, account, url, 1.0, 5, finished=True, offline=True)
            deliveries.add_test(conn, hook, 1.0)
        supervisor.start(
            stack.dashboard(settings.model_copy(update={"webhook_networks": "127.0.0.0/8"}))
        )
        port, sent = settings.metrics_port + 4, 'arena_webhook_calls_total{outcome="sent"}'
        until(lambda: value(page(port), sent) == 1)
        assert value(page(port), "arena_webhook_calls_waiting") == 0
        assert 'arena_mails_total{outcome="given_up"} 0.0' in page(port)
        receiver.shutdown()


def test_without_a_port_there_is_no_process_more(settings: Settings) -> None:
    before = {each.pid for each in psutil.Process().children()}

    with counted(settings.model_copy(update={"metrics_port": 0}), "worker"):
        assert {each.pid for each in psutil.Process().children()} == before


def test_a_taken_port_is_said(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "")  # put back after the test
    with (
        socket.create_server((HERE, settings.metrics_port + 1)),
        pytest.raises(Unavailable, match="Choose another ARENA_METRICS_PORT"),
    ):
        run_worker(settings)


def test_runs_are_counted(world: World, gateway: FakeGateway) -> None:
    def total(name: str, **labels: str) -> float:
        return metrics.REGISTRY.get_sample_value(f"arena_{name}", labels) or 0.0

    def totals() -> list[float]:
        return [
            total("matches_total", game="lama"),
            total("decisions_asked_total"),
            total("batch_decisions_sum"),
            total("leases_total", event="taken"),
            total("leases_total", event="released"),
        ]

    before = totals()
    tournament = world.tournament(("ann", "bob"), seats=2, matches=4)
    gateway.connect(*tournament.players)
    ended = world.play_all(tournament)
    matches, decisions, in_batches, taken, released = (
        now - then for now, then in zip(totals(), before, strict=True)
    )

    assert (ended.played, matches) == (4, 4)
    assert decisions == in_batches > 4
    assert taken == released > 0


def test_faults_are_counted_by_kind(sqlite_store: Store) -> None:
    def faults(kind: str) -> float:
        return metrics.REGISTRY.get_sample_value("arena_faults_total", {"kind": kind}) or 0.0

    before = faults("timeout"), faults("illegal")
    tournament = entered(sqlite_store)
    notes = [
        FaultNote(0, 3, kind, "too late", "draw") for kind in ("timeout", "illegal", "timeout")
    ]
    metrics.saved([replace(results(tournament)[0], notes=tuple(notes))])

    assert (faults("timeout") - before[0], faults("illegal") - before[1]) == (2, 1)


def test_statements_that_the_database_could_not_take_are_counted(sqlite_store: Store) -> None:
    def errors() -> float:
        return metrics.REGISTRY.get_sample_value("arena_database_errors_total") or 0.0

    before = errors()
    with sqlite_store.write() as conn:
        with pytest.raises(OperationalError):
            conn.execute(text("SELECT * FROM nowhere"))
        bots.register(conn, "ann")
        with pytest.raises(AlreadyExists):
            bots.register(conn, "ann")

    assert errors() == before + 1


def test_tasks_ended_by_an_outage_are_counted_by_what_is_away() -> None:
    def outages(service: str) -> float:
        name = "arena_outages_total"
        return metrics.REGISTRY.get_sample_value(name, {"service": service}) or 0.0

    before = outages("database"), outages("redis")
    for error in (Unavailable("away"), redis.ConnectionError("away"), redis.ConnectionError("")):
        with outages_logged():
            raise error

    assert (outages("database") - before[0], outages("redis") - before[1]) == (1, 2)
