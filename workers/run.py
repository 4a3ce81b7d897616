"""Runs a worker or beat in this process."""

from __future__ import annotations

import os

from arena.config import Settings
from arena.live.connect import connect
from arena.store import open_store
from workers.metrics_server import counted

# An interactive match is little work, but a slow bot may make it last.
PROMPT_THREADS = 32


def run_worker(settings: Settings, *, prompt: bool = False) -> None:
    """Runs a worker with one process per core until it is told to stop.

    With `prompt` it leaves tournaments' matches to others, so that it is free at once for
    interactive work: in threads then, since there is more waiting than work in it.
    Raises Unavailable at once if the database or Redis cannot be reached or the port for metrics
    is taken, and SchemaMismatch if the database is of another release, or is migrated to one
    while the worker runs.
    """
    check(settings)
    with counted(settings, prompt=prompt):
        _run_worker(settings, prompt)


def _run_worker(settings: Settings, prompt: bool) -> None:
    from workers import shutdown
    from workers.app import ADVANCE_QUEUE, LUCK_QUEUE, PLAY_QUEUE, PROMPT_QUEUE, app

    queues = [ADVANCE_QUEUE, PROMPT_QUEUE] + ([] if prompt else [PLAY_QUEUE, LUCK_QUEUE])
    app.worker_main(
        [
            "worker",
            f"--pool={'threads' if prompt else 'prefork'}",
            f"--concurrency={PROMPT_THREADS if prompt else settings.workers}",
            f"--queues={','.join(queues)}",
            f"--hostname=arena-{os.getpid()}@%h",
            f"--loglevel={settings.log_level}",
            "--without-gossip",
            "--without-mingle",
            "--without-heartbeat",
        ]
    )
    if shutdown.outdated():
        check(settings)  # raises what is wrong


def run_beat(settings: Settings) -> None:
    """Runs beat, which sends a sweep every second, until it is told to stop.

    Raises as `run_worker` does.
    """
    check(settings)
    from workers import shutdown
    from workers.app import app
    from workers.beat_metrics import serve_arena_metrics

    # The schedule is fixed, so nothing has to be kept between runs.
    beat = app.Beat(
        loglevel=settings.log_level,
        scheduler_cls="workers.beat_scheduler:BeatScheduler",
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
