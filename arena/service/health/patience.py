"""Limits how long the database may take to answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from arena.base.errors import Unavailable
from arena.store.database_error import AWAY

PATIENCE_S = 8.0  # longer than the connection timeout of a database (5 s)

Answer = TypeVar("Answer")

_stuck: list[threading.Thread] = []


def patiently(ask: Callable[[], Answer], seconds: float = PATIENCE_S) -> Answer:
    """Calls `ask` in a thread and returns its result. Raises the errors of `ask`, and Unavailable
    if it takes longer than `seconds`.

    A frozen server keeps its connections open and never answers. While a thread waits for it, no
    other one is started.
    """
    _stuck[:] = [thread for thread in _stuck if thread.is_alive()]
    answers: list[Answer] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(ask())
        except BaseException as error:  # raised again below
            errors.append(error)

    if not _stuck:
        thread = threading.Thread(target=run, daemon=True, name="health")
        thread.start()
        thread.join(seconds)
        if thread.is_alive():
            _stuck.append(thread)
    if errors:
        raise errors[0]
    if not answers:
        raise Unavailable(f"The database did not answer within {seconds:g} s.", AWAY)
    return answers[0]
