"""Says once a second that this worker lives and whether it hangs, from the process that hands
tasks out; and ends it when one of its processes found that the database is of another release.

A timer of Celery's own calls it: no thread, which a worker that forks had better not have.
"""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import redis
import structlog
from celery import bootsteps

from arena.live.vitals import BEAT_S, beat_worker, worker_gone
from workers import stopping
from workers.pulse import Load, Pulse, load

log = structlog.get_logger()

WAIT_S = 1.0  # for a Redis that does not answer; tasks wait for it, too


class Heart(bootsteps.StartStopStep):
    """Beats from the start of a worker to its end."""

    requires = ("celery.worker.components:Timer", "celery.worker.components:Pool")

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        self._timer: Any = None
        self._pulse: Pulse | None = None
        self._hangs = ""
        self._client: redis.Redis | None = None

    def start(self, worker: Any) -> None:
        """Begins."""
        self._client = redis.Redis.from_url(
            worker.app.conf.broker_url, socket_timeout=WAIT_S, socket_connect_timeout=WAIT_S
        )
        self._pulse = Pulse(worker.concurrency)
        self._beat(worker)
        self._timer = worker.timer.call_repeatedly(BEAT_S, self._beat, (worker,))

    def stop(self, worker: Any) -> None:
        """Ends, and says so."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._client is not None:
            try:
                worker_gone(self._client, worker.hostname, _queues(worker))
            except redis.RedisError as error:
                log.debug("cannot say that this worker ends", error=str(error))
            self._client.close()
            self._client = None

    def terminate(self, worker: Any) -> None:
        """Ends at once."""
        self.stop(worker)

    def _beat(self, worker: Any) -> None:
        if stopping.outdated() and not stopping.asked():
            os.kill(os.getpid(), signal.SIGTERM)  # the way in which a worker is told to end
        if self._client is None:
            return
        try:
            queued = beat_worker(self._client, worker.hostname, _queues(worker), bool(self._hangs))
            self._feel(load(queued))
        except redis.RedisError as error:
            log.debug("cannot say that this worker lives", error=str(error))

    def _feel(self, found: Load) -> None:
        """Notes whether this worker hangs; the next beat tells."""
        assert self._pulse is not None
        hangs = "" if stopping.asked() else self._pulse.feel(found, time.monotonic())
        if hangs != self._hangs:
            if hangs:
                log.error("this worker hangs", reason=hangs)
            else:
                log.info("this worker gets on again")
        self._hangs = hangs


def _queues(worker: Any) -> tuple[str, ...]:
    """The queues that it takes tasks from."""
    return tuple(worker.app.amqp.queues.consume_from)
