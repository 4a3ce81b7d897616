"""Periodic background work of a dashboard."""

import threading
import time
from collections.abc import Callable

import structlog

from arena.base.errors import ArenaError

log = structlog.get_logger(__name__)


def repeat(
    work: Callable[[], None], every_s: float, *, name: str, unavailable: str, broke: str
) -> None:
    """Start a daemon thread with this `name` that does the work, then pauses for `every_s` seconds.

    Errors are logged, and the work is retried: an ArenaError, such as an unavailable database, as
    `unavailable`, others with a traceback as `broke`.
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
            # The top level of a thread, which must retry.
            log.exception(broke)
        time.sleep(every_s)
