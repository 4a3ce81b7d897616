"""Whether the database can be written to, tried now and then."""

from __future__ import annotations

import threading
import time

import structlog

from arena.store import Store
from arena.store.writable import Verdict, verdict

log = structlog.get_logger(__name__)

EVERY_S = 5.0  # at most so often, however many ask


class Probe:
    """For all threads of a process; one tries, the others get what was found the last time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._verdict: Verdict = None
        self._tried = float("-inf")
        self._turn = threading.Lock()

    def look(self) -> Verdict:
        """What becomes of something that is stored, as of a few seconds ago; None: unknown.

        Uses a connection of its own: not to be called by who has one.
        """
        if time.monotonic() - self._tried > EVERY_S and self._turn.acquire(blocking=False):
            try:
                self._try()
            finally:
                self._turn.release()
        return self._verdict

    def _try(self) -> None:
        before, current = self._verdict, verdict(self._store)
        self._tried = time.monotonic()
        if current is None:  # busy: what was found before still holds
            return
        self._verdict = current
        if current != "ok" and current != before:
            log.error("the database cannot be written to", reason=current)
        elif before not in (None, "ok", current):
            log.info("the database can be written to again")
