"""The worker's heartbeat: reports every second from the main process whether the worker hangs.

It also shuts the worker down if one of its processes found the database at another release, or if
the worker ignores waiting tasks; a supervisor then restarts it. It runs on a timer of Celery,
because a process that forks should not have threads.
"""

import os
import signal
import threading
import time
from contextlib import suppress
from typing import Any

import redis
import structlog
from celery import bootsteps

from arena.base import liveness
from arena.service.live.connect import impatient, place
from arena.service.live.redis_error import explain
from arena.service.live.vitals import BEAT_S, beat_worker, worker_gone
from workers.setup import shutdown
from workers.setup.watchdog import Watchdog, WorkerLoad, current_load

log = structlog.get_logger()

LEAVE_S = 15.0  # after which a worker that ignores tasks is killed


class HeartbeatStep(bootsteps.StartStopStep):
    """Sends heartbeats while a worker is running."""

    requires = ("celery.worker.components:Timer", "celery.worker.components:Pool")

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        self._timer: Any = None
        self._watchdog: Watchdog | None = None
        self._hangs = ""
        self._client: redis.Redis | None = None

    def start(self, worker: Any) -> None:
        self._client = impatient(worker.app.conf.broker_url)  # it blocks, and no tasks start
        self._watchdog = Watchdog(worker.concurrency)
        self._beat(worker)
        self._timer = worker.timer.call_repeatedly(BEAT_S, self._beat, (worker,))

    def stop(self, worker: Any) -> None:
        """Stops the heartbeat and deregisters the worker."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._client is not None:
            try:
                worker_gone(self._client, worker.hostname, _queues(worker))
            except redis.RedisError as error:
                log.debug("cannot deregister this worker", error=str(error))
            self._client.close()
            self._client = None

    def terminate(self, worker: Any) -> None:
        self.stop(worker)

    def _beat(self, worker: Any) -> None:
        liveness.alive()
        if shutdown.outdated() and not shutdown.requested():
            os.kill(os.getpid(), signal.SIGTERM)  # Celery's signal for a warm shutdown
        if self._client is None:
            return
        try:
            queued = beat_worker(self._client, worker.hostname, _queues(worker), bool(self._hangs))
            self._check_load(worker, current_load(queued))
        except redis.RedisError as error:
            reason = explain(error, place(worker.app.conf.broker_url))
            log.warning("cannot send a heartbeat", reason=str(reason))

    def _check_load(self, worker: Any, load: WorkerLoad) -> None:
        """Checks whether this worker hangs, for the next heartbeat. Ends a worker that ignores
        tasks."""
        assert self._watchdog is not None
        assert self._client is not None
        if shutdown.requested():
            return
        hangs = self._watchdog.check(load, time.monotonic())
        if hangs != self._hangs:
            if hangs:
                log.error("this worker hangs", reason=hangs)
            else:
                log.info("this worker makes progress again")
        self._hangs = hangs
        if self._watchdog.ignores_tasks:
            log.error("this worker ends, to be restarted")
            beat_worker(self._client, worker.hostname, _queues(worker), hangs=True)
            end_worker(worker)


def end_worker(worker: Any) -> None:
    """Shuts the worker down. Kills it after `LEAVE_S`."""
    os.kill(os.getpid(), signal.SIGTERM)
    last_resort = threading.Timer(LEAVE_S, _kill, (worker,))
    last_resort.daemon = True
    last_resort.start()


def _kill(worker: Any) -> None:
    for process in worker.pool.info.get("processes", ()):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    os._exit(1)


def _queues(worker: Any) -> tuple[str, ...]:
    return tuple(worker.app.amqp.queues.consume_from)
