"""Asks a bot the decisions of a finished match again, in this process."""

import asyncio
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arena.games.match import FaultKind
from arena.games.rules import Game, View
from arena.games.rules.errors import MalformedAction
from arena.sdk.asking import answer
from arena.sdk.bot import Bot
from arena.sdk.hooks import Hooks
from arena.sdk.recorded import Recorded, replayed


@dataclass(frozen=True)
class AskedAgain:
    """A decision of a seat, the action of the match, and the bot's new answer."""

    view: View
    played: str
    fault: FaultKind | None  # the fault in the match; `played` is then the default action
    now: str  # the new answer in notation; "" without an answer
    problem: str  # what is wrong with the new answer: a sentence or traceback, or ""

    @property
    def differs(self) -> bool:
        """Whether the bot would answer differently now."""
        return self.now != self.played or bool(self.problem)


def ask_again(record: Mapping[str, Any], seat: int, bot: Bot) -> Iterator[AskedAgain]:
    """Asks `bot` every decision of a seat, in order, and yields the answers.

    The match continues as recorded, whatever the bot answers. Hooks are called as in the arena.
    Exceptions of the bot appear in the answers. Raises RecordError if the record does not follow
    from its seed and moves.
    """
    replayed(record)
    return _asked_again(Recorded(record), seat, bot)


def _asked_again(recorded: Recorded, seat: int, bot: Bot) -> Iterator[AskedAgain]:
    match = recorded.match
    hooks = Hooks(match, {seat: bot})
    with asyncio.Runner() as runner:
        runner.run(hooks.started())
        while view := match.decision:
            runner.run(hooks.rounds_ended())
            move = recorded.move
            if view.seat == seat:
                asked = _asked(bot, view._replace(key=bot.key), match.game, runner)
                yield AskedAgain(view, move["action"], move.get("fault"), *asked)
            recorded.step()
        runner.run(hooks.rounds_ended())
        runner.run(hooks.ended())


def _asked(bot: Bot, view: View, game: Game, runner: asyncio.Runner) -> tuple[str, str]:
    """Returns the answer in notation, and what is wrong with it."""
    try:
        given = runner.run(answer(bot, view))
    except Exception as error:
        # Exceptions of the bot are its faults, as in the arena.
        return "", _traceback(error)
    if isinstance(given, int):
        given = game.notation[given] if given < len(game.notation) else str(given)
    try:
        now = game.notation[game.parse(given)]
    except MalformedAction as error:
        return given, str(error)
    legal = now in view.actions
    return now, "" if legal else f"{now} is not among the legal actions of this decision."


def _traceback(error: Exception) -> str:
    """Formats an exception without the frames of the arena that called the bot."""
    frame, own = error.__traceback__, error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code is answer.__code__:
            own = frame.tb_next or frame
        frame = frame.tb_next
    return "".join(traceback.format_exception(type(error), error, own))
