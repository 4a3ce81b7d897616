"""What `arena beat` runs: Celery's scheduler, which exits when the database is migrated."""

from __future__ import annotations

import time
from typing import Any

import structlog
from celery.beat import Scheduler

from arena import liveness
from arena.config import Settings
from arena.errors import SchemaMismatch, Unavailable
from arena.store import Store
from arena.store.engine import CHECK_S, parse_url
from arena.store.migrate import HEAD
from workers import shutdown

log = structlog.get_logger()


class BeatScheduler(Scheduler):
    """Sends sweeps, as long as the database is at this release."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._store = Store(parse_url(Settings().database), HEAD)
        self._checked = float("-inf")

    def tick(self, *arguments: Any, **named: Any) -> float:
        """Sends what is due; returns the seconds until the next call. Raises SystemExit."""
        if time.monotonic() - self._checked > CHECK_S:
            self._check()
        seconds: float = super().tick(*arguments, **named)
        liveness.alive()
        return seconds

    def _check(self) -> None:
        try:
            self._store.check()
        except SchemaMismatch:
            shutdown.note_outdated()
            raise SystemExit from None
        except Unavailable as error:  # it will be back, and sweeps notice by themselves
            log.debug("the database cannot be asked for its version", error=str(error))
        self._checked = time.monotonic()
