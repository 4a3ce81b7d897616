"""Work that a dashboard does again and again beside requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import structlog

from arena.base.errors import ArenaError

log = structlog.get_logger(__name__)


def repeat(
    work: Callable[[], None], every_s: float, *, name: str, unavailable: str, broke: str
) -> None:
    """Begins to do some work, with so many seconds of rest after each time, in a thread of this
    `name` that ends with the process.

    Whatever it raises is logged, and it is tried again: an ArenaError, such as a database that is
    away, as `unavailable`, anything else with its traceback as `broke`.
    """
    args = work, every_s, unavailable, broke
    threading.Thread(target=_run, args=args, name=name, daemon=True).start()


def _run(work: Callable[[], None], every_s: float, unavailable: str, broke: str) -> None:
    while True:
        try:
            work()
        except ArenaError as error:
            log.warning(unavailable, error=str(error))
        except Exception:
            # The edge of a thread, which is to try again.
            log.exception(broke)
        time.sleep(every_s)
