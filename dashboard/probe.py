"""Periodic check whether the database is writable."""

import threading
import time

import structlog

from arena.store import Store
from arena.store.writable import Verdict, verdict

log = structlog.get_logger(__name__)

EVERY_S = 5.0  # minimum interval between checks


class Probe:
    """A check shared by all threads of a process: one checks, the others get the last result."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._verdict: Verdict = None
        self._tried = float("-inf")
        self._turn = threading.Lock()

    def look(self) -> Verdict:
        """Return the result of the latest check, None if unknown. It uses a separate connection, so
        call it without holding one."""
        if time.monotonic() - self._tried > EVERY_S and self._turn.acquire(blocking=False):
            try:
                self._try()
            finally:
                self._turn.release()
        return self._verdict

    def _try(self) -> None:
        before, current = self._verdict, verdict(self._store)
        self._tried = time.monotonic()
        if current is None:  # busy: keep the previous result
            return
        self._verdict = current
        if current != "ok" and current != before:
            log.error("the database is not writable", reason=current)
        elif before not in (None, "ok", current):
            log.info("the database is writable again")
