"""Interrupt a bot that hangs, and step through its `choose`, even an async one."""

import bdb
import inspect
import pdb
import signal
import types
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

from arena.games.rules import View
from arena.sdk import Bot, Decisions
from arena.sdk.answer import checked, checked_batch, offered


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


async def stepped_answer(bot: Bot, view: View) -> str | int | None:
    """Return the answer after the user has stepped through `choose`, or None."""
    debugger = pdb.Pdb(nosigint=True)
    try:
        if bot.answers_batches():
            chosen = await _stepped(debugger, bot.choose_batch, Decisions.of([view]))
            return checked_batch(chosen, 1)[0]
        return checked(await _stepped(debugger, bot.choose, offered(view)))
    except bdb.BdbQuit:
        return None
    except (Exception, SystemExit) as error:  # the debugger has shown where
        print(f"{type(error).__name__}: {error}")
        return None


@types.coroutine
def _stepped(
    debugger: pdb.Pdb, method: Callable[[Any], Any], given: Any
) -> Generator[Any, Any, Any]:
    """Call a method under the debugger. An async one runs under it between its waits."""
    result = debugger.runcall(method, given)
    if not inspect.isawaitable(result):
        return result
    steps = result.__await__()
    while True:
        try:
            yielded = debugger.runcall(next, steps)
        except StopIteration as stopped:
            return stopped.value
        yield yielded
