"""Views that read a whole tournament: a few requests at a time are in them.

Each keeps a thread and a database connection for as long as that takes, an answer that is streamed
until its reader has all of it. The others wait for a moment; then they are told to come back.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any, ParamSpec

from flask import current_app
from flask.typing import ResponseReturnValue

from dashboard.system import errors

P = ParamSpec("P")

TOGETHER = threading.BoundedSemaphore(4)
WAIT_S = 2.0
STREAM_S = 900.0  # how long one reader may take
FULL = (
    "Several visitors ask for pages that read a whole tournament. Try again in "
    f"{errors.RETRY_AFTER_S} seconds."
)


def reads_much(view: Callable[P, ResponseReturnValue]) -> Callable[P, ResponseReturnValue]:
    """A view that takes long. Put below the route."""

    @wraps(view)
    def in_turn(*args: P.args, **kwargs: P.kwargs) -> ResponseReturnValue:
        slots = TOGETHER
        if not slots.acquire(timeout=WAIT_S):
            return errors.answer(503, FULL)
        try:
            response = current_app.make_response(view(*args, **kwargs))
        except BaseException:
            slots.release()
            raise
        if response.is_streamed:
            response.response = _in_time(response.response)
            response.call_on_close(slots.release)
        else:
            slots.release()
        return response

    return in_turn


def _in_time(parts: Iterable[Any]) -> Iterator[Any]:
    """Breaks off an answer whose reader takes too long, so that none keeps a slot for ever."""
    end = time.monotonic() + STREAM_S
    for part in parts:
        if time.monotonic() > end:
            raise TimeoutError("the reader took too long")
        yield part
