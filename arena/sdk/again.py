"""Asks a bot once more, in this process, what it was asked in a match that is over."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.match import FaultKind, Match, MatchSetup, Seat
from arena.record import RecordError, explained, verify
from arena.rules import Game, View
from arena.rules.errors import MalformedAction
from arena.sdk.answer import answer
from arena.sdk.bot import Bot
from arena.sdk.hooks import Hooks

DO_NOT_FIT = "The faults of the record do not fit its moves."

Move = Mapping[str, Any]  # of a record

NO_LIMIT = 2**31  # of faults: a record says itself when a seat forfeited


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
    verify(record)
    with explained():
        _check_faults(record)
    return _asked_again(record, seat, bot)


def _asked_again(record: Mapping[str, Any], seat: int, bot: Bot) -> Iterator[AskedAgain]:
    match = Match(_setup(record))
    hooks = Hooks(match, {seat: bot})
    with asyncio.Runner() as runner:
        runner.run(hooks.started())
        for view, move in _decisions(match, record):
            runner.run(hooks.rounds_ended())
            if view.seat == seat:
                asked = _asked(bot, view._replace(key=bot.key), match.game, runner)
                yield AskedAgain(view, move["action"], move.get("fault"), *asked)
        runner.run(hooks.rounds_ended())
        runner.run(hooks.ended())


def _decisions(match: Match, record: Mapping[str, Any]) -> Iterator[tuple[View, Move]]:
    """Each decision that was put to a bot, and what was played then; `match` is at it."""
    moves = [move for round_ in record["rounds"] for move in round_["moves"]]
    while view := match.decision:
        move = _recorded(moves, view)
        yield view, move
        _go_on(match, move, forfeits=_forfeits(record, moves, view))


def _check_faults(record: Mapping[str, Any]) -> None:
    """Plays it once without the bot: default actions have to follow where it says so. Raises
    RecordError."""
    match = Match(_setup(record))
    for _ in _decisions(match, record):
        pass
    played = [move for log in match.game.rounds for move in log.moves]
    recorded = [
        (move["seat"], match.game.parse(move["action"]))
        for round_ in record["rounds"]
        for move in round_["moves"]
    ]
    if played != recorded:
        raise RecordError(DO_NOT_FIT)


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


def _setup(record: Mapping[str, Any]) -> MatchSetup:
    seats = tuple(Seat(seat["bot"], seat["version"]) for seat in record["seats"])
    seed = bytes.fromhex(record["seed"])
    return MatchSetup(
        record["id"], record["game"], seed, seats, record["options"], NO_LIMIT, record["ruleset"]
    )


def _recorded(moves: Sequence[Move], view: View) -> Move:
    """The move that was made at a decision."""
    if view.number > len(moves) or moves[view.number - 1]["seat"] != view.seat:
        raise RecordError(DO_NOT_FIT)
    return moves[view.number - 1]


def _go_on(match: Match, move: Move, *, forfeits: bool) -> None:
    """Plays what was played."""
    if kind := move.get("fault"):
        fault = match.fail(kind, "", move.get("latency_us", 0), forfeits)
        fits = fault.instead == move["action"]
    else:
        fits = match.answer(move["action"], move.get("latency_us", 0)) is None
    if not fits:
        raise RecordError(DO_NOT_FIT)


def _forfeits(record: Mapping[str, Any], moves: Sequence[Move], view: View) -> bool:
    """Whether the fault at a decision was the one by which the seat forfeited: its last one."""
    if record["result"]["faults"][view.seat] is None:
        return False
    later = moves[view.number :]
    return not any(move["seat"] == view.seat and "fault" in move for move in later)
