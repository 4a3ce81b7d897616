"""Asks a bot's methods, whatever they return or raise."""

from __future__ import annotations

import inspect
import operator
import traceback
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from arena.rules.view import View

if TYPE_CHECKING:
    from arena.sdk.bot import Bot

MOST = 2**32 - 1


class BadAnswer(TypeError):
    """`choose` returned something that is no answer."""


def checked(result: object) -> str | int:
    """The answer in the form of the wire. Raises BadAnswer."""
    if isinstance(result, str) or (type(result) is int and 0 <= result <= MOST):
        return result
    try:
        # Whole numbers of any kind, those of numpy too; True and False are a mistake.
        index = operator.index(result) if not isinstance(result, bool) else -1  # type: ignore[arg-type]
    except TypeError:
        index = -1
    if not 0 <= index <= MOST:
        raise BadAnswer(
            f"choose returned {result!r}; return one of view.actions, or its view.indices"
        )
    return index


async def answer(bot: Bot, view: View) -> str | int:
    """The bot's answer to one question; whatever `choose` raises comes out."""
    result = bot.choose(view)
    return checked(await result if inspect.isawaitable(result) else result)


def described(error: Exception) -> str:
    """An exception of the bot in a line for the arena; prints its traceback for the author."""
    traceback.print_exception(error)
    return f"{type(error).__name__}: {error}"


async def tell(hook: Callable[[Any], Awaitable[None] | None], notice: Any) -> None:
    """Calls one of a bot's hooks; what it raises is printed and changes nothing."""
    try:
        result = hook(notice)
        if inspect.isawaitable(result):
            await result
    except Exception as error:
        described(error)
