"""What is done once a second for the tournaments under way: finds what got lost on the way.

Its cost follows from what has to be done, not from how much is under way: a few reads tell which
tournaments can begin, which have nothing planned, and which batches nobody has. Only those are
advanced or handed out, one after the other, and an error in one does not stop the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter

import redis
import structlog
from redis.exceptions import LockError

from arena.base import instant
from arena.base.errors import SchemaMismatch, Unavailable
from arena.service.live import incidents, keys, line, ready
from arena.service.live.vitals import swept
from arena.store import Store
from arena.store.tournaments import batches, tournaments
from workers.advancing import advance as advancing
from workers.setup.outages import AWAY

log = structlog.get_logger()

# A sweep that says nothing for so long is dead, and the next one may begin.
SILENT_S = 10


class Sweep:
    """One sweep. `advance` does what is due in a tournament, `hand_out` has batches played."""

    def __init__(
        self,
        store: Store,
        client: redis.Redis,
        *,
        advance: Callable[[int], object],
        hand_out: Callable[[int, Sequence[int]], object],
    ) -> None:
        self._store, self._client = store, client
        self._advance, self._hand_out = advance, hand_out
        self._lock = client.lock(keys.SWEEPING, timeout=SILENT_S, blocking=False)

    def run(self) -> None:
        """Sweeps, unless another process does at this moment. Raises RedisError, Unavailable."""
        if not self._lock.acquire():
            return
        try:
            self._sweep()
            swept(self._client)
        finally:
            self._unlock()

    def _sweep(self) -> None:
        with self._store.read() as conn:
            states = tournaments.under_way(conn)
            planned = batches.all_open(conn)
        waiting = [number for number, state in states.items() if state == "waiting"]
        for number in advancing.due(self._store, self._client, waiting):
            with self._safely(number):
                self._advance(number)
        running = {number for number, state in states.items() if state == "running"}
        for number in sorted(running - {tournament for tournament, _ in planned}):
            with self._safely(number):
                self._advance(number)
        lost = ready.missing(self._client, planned)
        for number, lost_batches in groupby(lost, key=itemgetter(0)):
            with self._safely(number):
                self._hand_out(number, [batch for _, batch in lost_batches])
        self._note_line()

    def _note_line(self) -> None:
        """Notes who is in line for a worker, and of those who are no longer how long they were."""
        waited = line.note(self._client, instant.now())
        if waited:
            with self._store.write() as conn:
                for number, seconds in waited.items():
                    tournaments.add_queued(conn, number, seconds)

    @contextmanager
    def _safely(self, tournament: int) -> Iterator[None]:
        """An error in one tournament does not stop the others. Raises on an outage of Redis or of
        the database as a whole."""
        try:
            yield
            self._lock.extend(SILENT_S, replace_ttl=True)
        except LockError:
            log.warning("a sweep took so long that another one began")
        except (SchemaMismatch, *AWAY):
            raise
        except Unavailable as error:
            log.warning("tournament cannot be advanced", tournament=tournament, error=str(error))
            with self._store.read():  # raises if the whole database is away
                pass
        except Exception as error:
            if incidents.note(self._client, tournament, error, incidents.PLANNING_S):
                log.exception("tournament is stuck", tournament=tournament)

    def _unlock(self) -> None:
        try:
            self._lock.release()
        except LockError:
            log.debug("the sweep's mark has expired")
