"""Runs a worker or beat in this process."""

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from arena.base.config import Settings
from arena.base.metrics import Process
from arena.service.health import storage
from arena.service.live import queues
from arena.service.live.connect import connect
from arena.store import open_store
from workers.setup.metrics_server import counted

PROMPT_THREADS = 32  # interactive matches mostly wait for bots
# In tenths of a second. After the shutdown has begun, a process of the pool waits until the main
# process has read its results. Celery does not read those of tasks that a process had not accepted
# by then, so the wait is in vain. The main process reads late results when the process has ended.
RESULT_RETRIES = 20


def run_worker(settings: Settings, *, prompt: bool = False, review: bool = False) -> None:
    """Runs a worker until it is told to stop.

    With `prompt` it only runs interactive work, in threads, and advances tournaments. With `review`
    it only reviews matches and calculates luck, at low priority. Otherwise it plays tournaments and
    interactive work in `settings.workers` processes.
    Raises Unavailable at once if the database or Redis cannot be reached, the port for metrics is
    taken, or shared memory is not writable. Raises SchemaMismatch if the database is of another
    release, or is migrated to one later.
    """
    check(settings)
    kind = REVIEW if review else PROMPT if prompt else WHOLE
    if kind.pool == "prefork" and sys.platform == "linux":
        storage.require(storage.check_shared_memory())
    with counted(settings, kind.process):
        _run_worker(settings, kind)


@dataclass(frozen=True)
class WorkerKind:
    """The queues of a worker, and how it runs."""

    process: Process  # its name for metrics
    queues: tuple[str, ...]
    pool: str = "prefork"
    concurrency: int = 0  # 0 for the setting
    niceness: int = 0


WHOLE = WorkerKind("worker", (queues.ADVANCE, queues.PROMPT, queues.PLAY))
PROMPT = WorkerKind(
    "prompt worker", (queues.ADVANCE, queues.PROMPT), pool="threads", concurrency=PROMPT_THREADS
)
# Only one process calculates luck at a time, so the other one is free for reviews.
REVIEW = WorkerKind("review worker", (queues.REVIEW, queues.LUCK), concurrency=2, niceness=10)


def _run_worker(settings: Settings, kind: WorkerKind) -> None:
    from celery.signals import celeryd_init

    from workers.setup import shutdown
    from workers.setup.app import app

    started: list[Any] = []
    celeryd_init.connect(lambda instance, **_: started.append(instance), weak=False)
    if kind.pool == "prefork":
        from billiard import pool

        pool.GUARANTEE_MESSAGE_CONSUMPTION_RETRY_LIMIT = RESULT_RETRIES  # 300 by default
    with suppress(PermissionError):  # the priority is optional, or set in the systemd unit
        os.nice(kind.niceness)
    app.worker_main(
        [
            "worker",
            f"--pool={kind.pool}",
            f"--concurrency={kind.concurrency or settings.workers}",
            f"--queues={','.join(kind.queues)}",
            f"--hostname=arena-{os.getpid()}@%h",
            f"--loglevel={settings.log_level}",
            "--without-gossip",
            "--without-mingle",
            "--without-heartbeat",
        ]
    )
    if shutdown.outdated():
        check(settings)  # raises SchemaMismatch
    # Celery's command line drops the exit status.
    if failed := next((each.exitcode for each in started if each.exitcode), 0):
        raise SystemExit(failed)


def run_beat(settings: Settings) -> None:
    """Runs beat, which sends sweeps, until it is told to stop. Raises as `run_worker` does."""
    check(settings)
    from workers.setup import shutdown
    from workers.setup.app import app
    from workers.setup.beat_metrics import serve_arena_metrics

    # The schedule is fixed, so no state has to be kept between runs.
    beat = app.Beat(
        loglevel=settings.log_level,
        scheduler_cls="workers.setup.beat_scheduler:BeatScheduler",
        quiet=True,
    )
    with serve_arena_metrics(settings):
        beat.run()
    if shutdown.outdated():
        check(settings)


def check(settings: Settings) -> None:
    """Raises Unavailable if the database or Redis cannot be reached."""
    connect(settings.redis_url).close()
    open_store(settings.database).dispose()
