"""Step through a bot's `choose`, even an async one, under the debugger."""

from __future__ import annotations

import bdb
import inspect
import pdb
from collections.abc import Callable, Generator
from typing import Any

from arena.games.rules import View
from arena.sdk import Bot, Decisions
from arena.sdk.answer import checked, checked_batch, offered


async def stepped_answer(bot: Bot, view: View) -> str | int | None:
    """Return the answer after the user has stepped through, or None."""
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


async def _stepped(debugger: pdb.Pdb, method: Callable[[Any], Any], given: Any) -> Any:
    result = debugger.runcall(method, given)
    return await Stepped(debugger, result) if inspect.isawaitable(result) else result


class Stepped:
    """An awaitable that runs under a debugger between waits."""

    def __init__(self, debugger: pdb.Pdb, waited_for: Any) -> None:
        self._debugger = debugger
        self._waited_for = waited_for

    def __await__(self) -> Generator[Any, Any, Any]:
        steps = self._waited_for.__await__()
        while True:
            try:
                yielded = self._debugger.runcall(next, steps)
            except StopIteration as stopped:
                return stopped.value
            yield yielded
