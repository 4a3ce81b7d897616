"""Calls a bot's methods, and checks what they return or raise."""

import inspect
import operator
import os
import sys
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from arena.games.match import FaultKind
from arena.games.rules.view import View

MOST = 2**32 - 1
OURS = f"{Path(__file__).parents[1]}{os.sep}"  # the package arena
LONGEST_SAID = 80  # characters of an invalid answer in an error message


class BadAnswer(TypeError):
    """`choose` returned something that is not an answer."""


class ToldElsewhere(Exception):
    """An answer failed, and the bot's author can see why elsewhere, so nothing is printed.

    `kind` is the kind of fault, `output` the last lines that the bot's program printed.
    `unanswered` means that the program exited, or was stopped because it did not answer.
    """

    def __init__(
        self,
        sentence: str,
        kind: FaultKind = "error",
        output: str = "",
        *,
        unanswered: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.kind: FaultKind = kind
        self.output, self.unanswered = output, unanswered


class Index(int):
    """An index from `view.indices`.

    `choose` may return one, but not a plain number: a position in `view.actions` or a wrong
    constant is often the index of another legal action.
    """

    __slots__ = ()


def offered(view: View) -> View:
    """Returns the view for `choose`, with indices that it may return."""
    return view._replace(indices=tuple(map(Index, view.indices)))


def checked(result: object) -> str | int:
    """Returns the answer of `choose` in the protocol's form. Raises BadAnswer."""
    if isinstance(result, str):
        return result
    if type(result) is Index:
        return int(result)
    if _is_whole(result):
        raise BadAnswer(
            f"choose returned {result!r}, which is not an entry of view.indices. Return one of"
            " view.actions, or view.indices[i], the index of view.actions[i]"
        )
    raise BadAnswer(f"choose returned {_short(result)}. Return one of view.actions")


def _is_whole(result: object) -> bool:
    """Whether it is an integer of any type, including NumPy's. Booleans are mistakes."""
    return hasattr(result, "__index__") and not isinstance(result, bool)


def _in_batch(result: object) -> str | int:
    """Checks an answer of `choose_batch`: a text or an integer of any type. Raises BadAnswer."""
    if isinstance(result, str):
        return result
    index = operator.index(result) if _is_whole(result) else -1  # type: ignore[arg-type]
    if not 0 <= index <= MOST:
        raise BadAnswer(
            f"choose_batch returned {result!r}. Return one of view.actions or of view.indices"
        )
    return int(index)


def checked_batch(result: Any, count: int) -> list[str | int]:
    """Returns the answers of `choose_batch` to `count` decisions. Raises BadAnswer."""
    given = result.tolist() if hasattr(result, "tolist") else result
    try:
        answers = [_in_batch(each) for each in given]
    except TypeError as error:
        raise BadAnswer(f"choose_batch returned {_short(result)}: {error}") from None
    if len(answers) != count:
        raise BadAnswer(f"choose_batch returned {len(answers)} answers to {count} decisions")
    return answers


def only_answer(result: Any) -> str | int:
    """Returns the answer of `choose_batch` to a single decision, in the form for `choose`."""
    [answer] = checked_batch(result, 1)
    return answer if isinstance(answer, str) else Index(answer)


def _short(result: object) -> str:
    said = repr(result)
    return said if len(said) <= LONGEST_SAID else f"{said[:LONGEST_SAID]}…"


def describe(error: Exception) -> str:
    """Returns a bot's exception as one line for the arena, and prints its traceback."""
    if isinstance(error, ToldElsewhere):
        return str(error)
    print_error(error)
    return f"{type(error).__name__}: {error}"


def print_error(error: BaseException) -> None:
    """Prints a bot's exception to stderr, with the bot's part of the traceback."""
    sys.stderr.write(own_traceback(error))


def own_traceback(error: BaseException) -> str:
    """Returns a bot's exception as text, with the bot's part of the traceback."""
    return "".join(traceback.format_exception(type(error), error, own_frames(error)))


def own_frames(error: BaseException) -> TracebackType | None:
    """Returns the traceback from the bot's first frame on, or None if the bot has none."""
    frame = error.__traceback__
    while frame is not None and is_ours(frame.tb_frame.f_code.co_filename):
        frame = frame.tb_next
    return frame


def is_ours(file: str) -> bool:
    """Whether the file is the arena's code or Python's import system."""
    return file.startswith((OURS, "<frozen importlib")) or file.endswith("importlib/__init__.py")


async def call(hook: Callable[[Any], Awaitable[None] | None], notice: Any) -> None:
    """Calls a bot's hook. Exceptions propagate."""
    result = hook(notice)
    if inspect.isawaitable(result):
        await result


async def call_hook(hook: Callable[[Any], Awaitable[None] | None], notice: Any) -> None:
    """Calls a bot's hook. Exceptions are printed and otherwise ignored."""
    try:
        await call(hook, notice)
    except Exception as error:
        describe(error)
