"""A limit on parallel requests to views that read a whole tournament.

Each such request occupies a thread and a database connection until its response is sent. Further
requests wait for a moment, then fail with the advice to retry.
"""

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
STREAM_S = 900.0  # maximum duration of one response
FULL = (
    "Several visitors ask for pages that read a whole tournament. Try again in "
    f"{errors.RETRY_AFTER_S} seconds."
)


def reads_much(view: Callable[P, ResponseReturnValue]) -> Callable[P, ResponseReturnValue]:
    """Limit parallel requests to a slow view. Put it below the route."""

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
    """Abort a response that takes too long, so that it cannot occupy a slot forever."""
    end = time.monotonic() + STREAM_S
    for part in parts:
        if time.monotonic() > end:
            raise TimeoutError("the reader took too long")
        yield part
