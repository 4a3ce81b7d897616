"""The scheduler of `arena beat`, which exits when the database is migrated."""

import time
from contextlib import suppress
from typing import Any

import redis
import structlog
from celery.beat import ScheduleEntry, Scheduler, SchedulingError

from arena.base import liveness
from arena.base.config import Settings
from arena.base.errors import SchemaMismatch, Unavailable
from arena.service.live import clocks, keys
from arena.service.live.connect import impatient, place
from arena.service.live.queues import ADVANCE
from arena.service.live.redis_error import explain
from arena.service.live.vitals import BEAT, this_process
from arena.store import Store, luck
from arena.store.database_url import parse_url
from arena.store.engine import CHECK_S, HURRIED
from arena.store.migrate import HEAD
from arena.store.reports import people
from arena.store.tournaments import tournaments
from workers.setup import shutdown
from workers.setup.app import SWEEP_S

log = structlog.get_logger()

IDLE_SWEEP_S = 5.0  # between sweeps while nothing is under way
MOST_WAITING = 60  # tasks in the queue: while no worker runs, sweeps must not fill Redis


class BeatScheduler(Scheduler):
    """Sends sweeps while the database is at this release."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        settings = Settings()
        self._store = Store(parse_url(settings.database), HEAD)
        self._redis = impatient(settings.redis_url)
        self._place = place(settings.redis_url)
        self._checked = self._due = self._sent = float("-inf")

    def tick(self, *arguments: Any, **named: Any) -> float:
        """Sends due tasks. Returns the seconds until the next call. Raises SystemExit.

        Celery's own method would send nothing after the system clock is set back, until the clock
        is where it was.
        """
        now = time.monotonic()
        if now - self._checked > CHECK_S:
            self._check()
        if now >= self._due:
            self._due = now + SWEEP_S
            for entry in self.schedule.values():
                self.apply_entry(entry, producer=self.producer)
        liveness.alive()
        return max(0.0, self._due - time.monotonic())

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        """Sends a sweep if it may find something. If that fails, it is due again in a second."""
        if time.monotonic() - self._sent < IDLE_SWEEP_S and self._idle():
            return
        try:
            if self._redis.llen(ADVANCE) >= MOST_WAITING:
                return
            self.apply_async(entry, producer=producer, advance=False)
            self._sent = time.monotonic()
        except (SchedulingError, redis.RedisError) as error:
            log.warning("cannot send a sweep", reason=str(explain(error, self._place)))

    def _idle(self) -> bool:
        """Whether no tournament is under way, and no luck or rating has to be computed."""
        try:
            with self._store.read(HURRIED) as conn:  # heartbeats must not wait for a lock
                due = tournaments.under_way(conn) or luck.pending(conn, 1) or people.pending(conn)
                return not due
        except (SchemaMismatch, Unavailable):  # sweeps report it
            return False

    def close(self) -> None:
        """Closes the scheduler and its connections, and removes beat's heartbeat."""
        super().close()
        self._store.dispose()
        with suppress(redis.RedisError), self._redis:
            self._redis.zrem(keys.BEATS, this_process("beat"))

    def _check(self) -> None:
        try:
            self._store.check()
        except SchemaMismatch:
            shutdown.note_outdated()
            raise SystemExit from None
        except Unavailable as error:  # sweeps report this outage
            log.debug("cannot read the database's version", error=str(error))
        try:
            self._redis.eval(BEAT, 1, keys.BEATS, this_process("beat"))
            clocks.keep_reported(self._redis, "beat")
        except redis.RedisError as error:
            log.debug("cannot send a heartbeat", error=str(error))
        self._checked = time.monotonic()
