"""Asks a bot once more, in this process, what it was asked in a match that is over."""

from __future__ import annotations

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
    """A decision of a seat: what it was shown, what was played, what the bot answers now."""

    view: View
    played: str
    fault: FaultKind | None  # charged then, so that `played` is the default action
    now: str  # in notation; "" where there is no answer
    problem: str  # what is wrong with the answer now: a sentence or a traceback; "" if nothing

    @property
    def differs(self) -> bool:
        """Whether it would not play the same now."""
        return self.now != self.played or bool(self.problem)


def ask_again(record: Mapping[str, Any], seat: int, bot: Bot) -> Iterator[AskedAgain]:
    """Asks `bot` for every decision that was put to a seat, in order.

    The match goes on as it was played, whatever the bot answers; its hooks are called as in the
    arena. Exceptions of the bot are told in the answers. Raises RecordError for a record that
    does not follow from its seed and moves.
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
    """The answer in notation, and what is wrong with it."""
    try:
        given = runner.run(answer(bot, view))
    except Exception as error:
        # Any exception of the bot is its fault, as in the arena.
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
    """As Python prints it, without the frames of the arena, which called the bot."""
    frame, own = error.__traceback__, error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code is answer.__code__:
            own = frame.tb_next or frame
        frame = frame.tb_next
    return "".join(traceback.format_exception(type(error), error, own))
