"""Hanging workers are distinguished from busy ones."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
import redis

from arena.base.config import Settings
from arena.service.bootstrap import environment
from arena.service.live import keys
from arena.service.live.dispatch import _producer
from arena.service.live.queues import ADVANCE, PLAY
from arena.service.live.vitals import vitals
from arena.store import Store
from dashboard import create_app
from tests.integration.worker_world import FakeGateway, World, first_offered
from workers.setup.watchdog import (
    IGNORED_S,
    STALLED_S,
    RunningTask,
    Watchdog,
    WorkerLoad,
    mark_progress,
)

NOW = 1000.0


def checked(watchdog: Watchdog, load: WorkerLoad, seconds: int, start: float = NOW) -> str:
    """The last finding for a worker with this constant load and duration."""
    found = ""
    for second in range(seconds):
        found = watchdog.check(load, start + second)
    return found


def running(*seconds_ago: float) -> tuple[RunningTask, ...]:
    return tuple(
        RunningTask(f"task-{number}", NOW - ago, pid=100 + number)
        for number, ago in enumerate(seconds_ago)
    )


def test_a_worker_with_nothing_to_do_is_well() -> None:
    assert checked(Watchdog(2), WorkerLoad((), 0, 7, 0), 100) == ""


def test_a_worker_whose_processes_are_all_busy_is_well_however_long_its_queue() -> None:
    watchdog = Watchdog(2)
    for second in range(300):
        now = NOW + second
        mark_progress("busy")
        busy = (RunningTask("a", now - 1, 1), RunningTask("b", now - 2, 2))
        assert watchdog.check(WorkerLoad(busy, 0, 7, 5000), now) == ""


def test_a_task_that_gets_on_may_take_long() -> None:
    mark_progress("long")
    task = RunningTask("long", time.monotonic() - 10 * STALLED_S, 1)

    assert Watchdog(1).check(WorkerLoad((task,), 0, 7, 3), time.monotonic()) == ""


def test_a_task_that_stands_still_is_named_by_its_process() -> None:
    stands, gets_on = running(STALLED_S + 1, STALLED_S - 1)

    assert "process 100" in Watchdog(2).check(WorkerLoad((stands, gets_on), 0, 7, 0), NOW)
    assert "101" not in Watchdog(2).check(WorkerLoad((stands, gets_on), 0, 7, 0), NOW)


@pytest.mark.parametrize(
    "load", [WorkerLoad((), 0, 7, 3), WorkerLoad((), 1, 7, 0), WorkerLoad(running(1.0), 1, 7, 0)]
)
def test_tasks_that_wait_beside_a_free_process_are_ignored(load: WorkerLoad) -> None:
    short = round(IGNORED_S) - 1

    assert checked(Watchdog(2), load, short) == ""
    assert "a process is free" in checked(Watchdog(2), load, short + 4)


def test_a_worker_that_takes_tasks_is_well_though_more_come_all_the_time() -> None:
    watchdog = Watchdog(2)
    for second in range(100):
        assert watchdog.check(WorkerLoad((), 0, 7 + second, 3), NOW + second) == ""


def test_observations_before_an_outage_do_not_count() -> None:
    """Without Redis nobody knows whether tasks wait, and afterwards they do."""
    watchdog = Watchdog(2)
    assert watchdog.check(WorkerLoad((), 0, 7, 3), NOW) == ""

    assert watchdog.check(WorkerLoad((), 0, 7, 3), NOW + 60) == ""
    assert not watchdog.ignores_tasks


def test_one_that_gets_on_again_is_well() -> None:
    watchdog = Watchdog(2)
    assert checked(watchdog, WorkerLoad((), 0, 7, 3), 30)

    assert watchdog.check(WorkerLoad((), 0, 8, 3), NOW + 30) == ""


def test_marks_are_seen_from_another_process() -> None:
    script = """
import os, time
from workers.setup.watchdog import last_progress, mark_progress
child = os.fork()
if child == 0:
    mark_progress("in the child")
    os._exit(0)
os.waitpid(child, 0)
(made,) = last_progress(["in the child", "never begun"]).values()
assert 0 <= time.monotonic() - made < 5
"""

    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60)

    assert (ran.returncode, ran.stderr) == (0, b"")


# A real one

RUN = """
from workers.setup import heartbeat, watchdog
watchdog.STALLED_S = watchdog.IGNORED_S = heartbeat.LEAVE_S = 3.0
from arena.base.config import Settings
from arena.base.logs import setup_logs
from workers.setup.run import run_worker
setup_logs(Settings(), "worker")
run_worker(Settings())
"""


@contextmanager
def worker(settings: Settings, log: Path) -> Iterator[psutil.Process]:
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", RUN],
            env={**os.environ, **environment(settings)},
            stdout=file,
            stderr=file,
        )
        try:
            yield psutil.Process(process.pid)
        finally:
            process.kill()
            process.wait()


def until(condition: Callable[[], object], limit_s: float = 30.0) -> None:
    limit = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < limit, "the condition did not come true"
        time.sleep(0.05)


@pytest.fixture
def settings(sqlite_store: Store, redis_url: str) -> Settings:
    """The load of a worker with one process."""
    url = sqlite_store.url.render_as_string()
    return Settings(database_url=url, redis_url=redis_url, workers=1, window=4)


def test_stalled_process_is_reported(
    sqlite_store: Store, settings: Settings, redis_client: redis.Redis, tmp_path: Path
) -> None:
    browser = create_app(settings, sqlite_store, redis_client).test_client()
    log = tmp_path / "worker.log"
    with FakeGateway(redis_client) as gateway, worker(settings, log) as process:
        until(lambda: vitals(redis_client).workers[PLAY])
        begin_playing(World(sqlite_store, redis_client), gateway, settings)
        (child,) = [each.pid for each in process.children()]
        time.sleep(4.0)
        assert vitals(redis_client).hanging == 0

        os.kill(child, signal.SIGSTOP)
        until(lambda: vitals(redis_client).hanging == 1)

        told = browser.get("/api/health").get_json()
        assert told["hanging"] == 1
        assert any("All workers hang" in sentence for sentence in told["problems"])
        assert "All workers hang" in browser.get("/status").text
        healthz = browser.get("/healthz")
        assert (healthz.status_code, healthz.get_json()["status"]) == (200, "degraded")
        assert "hang" in healthz.get_json()["missing"]["workers"]
        assert "this worker hangs" in log.read_text()
        assert str(child) in log.read_text()

        os.kill(child, signal.SIGCONT)
        gateway.answer = first_offered
        until(lambda: vitals(redis_client).hanging == 0)
    assert "hang" not in browser.get("/healthz").get_json()["missing"].get("workers", "")


def test_a_worker_that_takes_no_tasks_ends_so_that_it_is_started_again(
    settings: Settings, redis_client: redis.Redis, tmp_path: Path
) -> None:
    log = tmp_path / "worker.log"
    with worker(settings, log) as process:
        child = free_process(process, settings, redis_client)

        os.kill(child.pid, signal.SIGSTOP)
        sweep(settings)
        until(lambda: process.status() == psutil.STATUS_ZOMBIE, 60)

        assert "no waiting task was started" in log.read_text()
        assert "this worker ends" in log.read_text()
        until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


def test_a_task_that_starts_during_the_shutdown_does_not_delay_it(
    settings: Settings, redis_client: redis.Redis, tmp_path: Path
) -> None:
    log = tmp_path / "worker.log"
    with worker(settings, log) as process:
        child = free_process(process, settings, redis_client)

        # Celery has sent the task to the process when it shuts down, but the process has not
        # accepted it. Celery forgets it then, and the process runs it.
        os.kill(child.pid, signal.SIGSTOP)
        sweep(settings)
        until(lambda: redis_client.exists("unacked"))
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        until(lambda: "Warm shutdown" in log.read_text())
        time.sleep(1)
        os.kill(child.pid, signal.SIGCONT)

        until(lambda: process.status() == psutil.STATUS_ZOMBIE, 15)
        assert redis_client.llen(ADVANCE) == 1  # another worker runs it again


def free_process(worker: psutil.Process, settings: Settings, client: redis.Redis) -> psutil.Process:
    """Waits until the worker has swept; returns the process of its pool, which is free then."""
    until(lambda: vitals(client).workers[PLAY])
    sweep(settings)
    until(lambda: client.exists(keys.SWEPT))
    until(lambda: not client.exists("unacked"))
    (process,) = worker.children()
    return process


def begin_playing(world: World, gateway: FakeGateway, settings: Settings) -> None:
    """A tournament of which a batch is being played, whose bots do not answer for now."""
    tournament = world.tournament(cycles=1)
    gateway.answer = lambda _: None
    gateway.connect(*tournament.players)
    producer = _producer(settings.redis_url)
    producer.send_task("arena.advance", args=[tournament.id], queue=ADVANCE)
    until(lambda: gateway.asked)


def sweep(settings: Settings) -> None:
    _producer(settings.redis_url).send_task("arena.sweep", queue=ADVANCE)
