"""Interrupt a bot that hangs."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Interrupted(BaseException):
    """Raised in the bot's code at its time limit or on Ctrl-C. Not an Exception, so that the bot
    does not catch it."""


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Raise Interrupted in the body after this time, and on Ctrl-C. Windows has no such timer, only
    Ctrl-C."""

    def time_is_up(*_: Any) -> None:
        raise Interrupted(f"No answer within {seconds:g} s, at this line")

    def ctrl_c(*_: Any) -> None:
        raise Interrupted("Ctrl-C, at this line")

    with _handling(time_is_up, ctrl_c, seconds):
        try:
            yield
        except Interrupted as interrupted:
            _cut(interrupted)
            raise


def _cut(interrupted: Interrupted) -> None:
    """Remove the handler from the traceback, so that it ends in the bot's code."""
    frame = interrupted.__traceback__
    while frame is not None:
        if frame.tb_next is not None and frame.tb_next.tb_frame.f_code.co_filename == __file__:
            frame.tb_next = None
        frame = frame.tb_next


@contextmanager
def _handling(
    time_is_up: Callable[..., None], ctrl_c: Callable[..., None], seconds: float
) -> Iterator[None]:
    before = signal.signal(signal.SIGINT, ctrl_c)
    try:
        if not hasattr(signal, "SIGALRM"):
            yield
            return
        alarm = signal.signal(signal.SIGALRM, time_is_up)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, alarm)
    finally:
        signal.signal(signal.SIGINT, before)
