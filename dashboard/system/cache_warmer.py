"""Makes what takes long before somebody asks for it: ratings with error bars of very many deals."""

from __future__ import annotations

import threading
import time

import structlog

from arena.errors import ArenaError
from arena.store import Store
from arena.store.reports import fits

log = structlog.get_logger(__name__)

LOOK_EVERY_S = 5.0


def keep_warm(store: Store) -> None:
    """Begins to do so, in a thread that ends with the process."""
    threading.Thread(target=_run, args=(store,), name="warm", daemon=True).start()


def _run(store: Store) -> None:
    first = True
    while True:
        first = not prepared(store, first=first) and first
        time.sleep(LOOK_EVERY_S)


def prepared(store: Store, *, first: bool) -> bool:
    """Whether it could be done. A database that is away will be back; pages say so meanwhile."""
    try:
        with store.read() as conn:
            fits.prepare(conn, first=first)
    except ArenaError as error:
        log.warning("cannot prepare ratings", error=str(error))
        return False
    except Exception:
        # The edge of a thread, which is to try again.
        log.exception("preparing ratings broke")
        return False
    return True
