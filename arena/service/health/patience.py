"""Limits the time that an answer may take."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from arena.base.errors import Unavailable
from arena.store.database_error import AWAY

PATIENCE_S = 8.0  # a new connection to a database has five

Answer = TypeVar("Answer")

_stuck: list[threading.Thread] = []


def patiently(ask: Callable[[], Answer], seconds: float = PATIENCE_S) -> Answer:
    """Asks in a thread, and gives its answer. Raises the errors of `ask`, and Unavailable if it
    takes longer.

    A frozen server keeps its connections open and is silent. While one thread waits for it, others
    do not ask.
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
        told = f"The database cannot be used: it did not answer within {seconds:g} s."
        raise Unavailable(told, AWAY)
    return answers[0]
