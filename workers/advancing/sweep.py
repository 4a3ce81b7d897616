"""The sweep: finds, once a second, tournaments to advance and lost batches.

A few reads find the tournaments that can start or have no planned batches, and the batches that are
not queued or played. Only these are advanced or queued, so the cost does not depend on the number
of running tournaments. An error in one tournament does not stop the others. In an idle arena, beat
sends fewer sweeps.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter

import redis
import structlog
from redis.exceptions import LockError

from arena.base import instant
from arena.base.errors import SchemaMismatch, Unavailable
from arena.games.rules import GAMES
from arena.service.live import incidents, keys, ready
from arena.service.live.vitals import swept
from arena.store import Store
from arena.store.engine import HURRIED
from arena.store.registry import invitations
from arena.store.tournaments import batches, daily, series, tournaments
from workers.advancing import advance as advancing
from workers.setup.connections import AWAY

log = structlog.get_logger()

SILENT_S = 10  # without progress, after which a sweep counts as dead and the next may start


class Sweep:
    """A sweep. `advance` advances a tournament, `hand_out` queues batches."""

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
        """Sweeps, unless another process is sweeping. Raises RedisError, Unavailable."""
        if not self._lock.acquire():
            return
        try:
            self._sweep()
            swept(self._client)  # before the deals, whose failure stops no tournament
            self._keep_daily_deals()
            self._go_on_with_series()
            self._forget_addresses()
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

    def _go_on_with_series(self) -> None:
        """Opens the next tournaments of series whose time zone this machine lacked before."""
        now = instant.now()
        with self._store.read() as conn:
            stopped = series.stopped(conn, now)
        for number in stopped:
            with self._safely(number), self._store.write(HURRIED) as conn:
                series.follow(conn, tournaments.lock(conn, number), now)

    def _keep_daily_deals(self) -> None:
        """Creates the deals of today and tomorrow, and opens those that are over; usually two short
        reads."""
        now = instant.now()
        with self._store.read() as conn:
            missing, due = daily.missing(conn, GAMES, now), daily.due(conn, now)
        if missing or due:
            with self._store.write(HURRIED) as conn:
                daily.add(conn, missing)
                daily.open_deals(conn, due, now)

    def _forget_addresses(self) -> None:
        """Deletes the addresses of people whose invitations have expired."""
        now = instant.now()
        with self._store.read() as conn:
            due = invitations.has_old_addresses(conn, now)
        if due:
            with self._store.write() as conn:
                invitations.forget_addresses(conn, now)

    def _note_line(self) -> None:
        """Notes the queued tournaments, and stores how long others were queued."""
        waited = ready.note_queued(self._client, instant.now())
        if waited:
            with self._store.write() as conn:
                for number, seconds in waited.items():
                    tournaments.add_queued(conn, number, seconds)

    @contextmanager
    def _safely(self, tournament: int) -> Iterator[None]:
        """Isolates the errors of a tournament. Raises only on an outage of Redis or of the whole
        database."""
        try:
            yield
            self._lock.extend(SILENT_S, replace_ttl=True)
        except LockError:
            log.warning("sweep took too long, and another one started")
        except (SchemaMismatch, *AWAY):
            raise
        except Unavailable as error:
            log.warning("tournament cannot be advanced", tournament=tournament, error=str(error))
            with self._store.read():  # raises if the whole database is away
                pass
        except Exception as error:
            if incidents.note(self._client, tournament, error, incidents.PLANNING_S):
                log.exception("tournament cannot be advanced", tournament=tournament)

    def _unlock(self) -> None:
        try:
            self._lock.release()
        except LockError:
            log.debug("the sweep's lock has expired")
