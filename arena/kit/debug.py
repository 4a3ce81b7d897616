"""`arena debug`: asks a bot once more for one decision of a recorded match, under the debugger.

The bot gets the decisions and notices that it had before in the match, so that what it remembers
is what it remembered then; what it answers to those does not count, what was recorded does.
"""

from __future__ import annotations

import argparse
import asyncio
import bdb
import pdb
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.bots import BOTS
from arena.errors import InvalidRequest, NotFound
from arena.kit.play.shown import own_frames, traceback_from_bot, view_in_short
from arena.kit.players import one_player
from arena.kit.records import find_record, records_in
from arena.kit.seeding import seed_for_decision, seed_for_hook
from arena.kit.stepping import stepped_answer
from arena.match import Fault
from arena.rules import View
from arena.rules.errors import BadAction
from arena.sdk import Bot
from arena.sdk.answer import BadAnswer, answer, call, prepared
from arena.sdk.local import LocalMatch
from arena.sdk.recorded import Record, Recorded, replayed

EPILOG = """\
examples (`arena play` prints the whole command below each fault):
  arena debug play-faults.jsonl --bot mybot.py
  arena debug played.jsonl --match 8s3kd02mvq7xw9aj --decision 17 --bot mybot.py --step
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describes the command to its parser."""
    parser.description = (
        "Ask a bot once more for one decision of a recorded match. Where it raises an exception,\n"
        "the debugger opens at the line; else its answer is printed."
    )
    parser.epilog = EPILOG
    parser.add_argument("file", type=Path, metavar="FILE", help="records, as `arena play` writes")
    parser.add_argument("--bot", help="who is asked: FILE.py, FILE.py:CLASS, module:CLASS")
    parser.add_argument("--match", metavar="ID", help="which match [the first with a fault]")
    parser.add_argument(
        "--decision", type=int, metavar="N", help="which decision [the first fault in the match]"
    )
    parser.add_argument(
        "--step", action="store_true", help="stop at the first line of choose, not at an exception"
    )
    parser.add_argument(
        "--alone", action="store_true", help="do not give the bot its earlier decisions first"
    )
    parser.add_argument(
        "--no-debugger", action="store_true", help="only print the traceback, or the answer"
    )


def run(args: argparse.Namespace) -> int:
    """Asks. Returns 1 where the bot fails again, else 0. Raises ArenaError."""
    record = find_record(args.file, args.match) if args.match else _first_with_fault(args.file)
    replayed(record)
    recorded = Recorded(record)
    number = _first_fault(recorded.moves) if args.decision is None else args.decision
    if not 1 <= number <= len(recorded.moves):
        raise InvalidRequest(f"This match has the decisions 1 to {len(recorded.moves)}.")
    move = recorded.moves[number - 1]
    if "latency_us" not in move:
        raise InvalidRequest(f"Decision {number} was not put to a bot: the rules left no choice.")
    seat = move["seat"]
    bot = _bot(args.bot, record["seats"][seat]["bot"])
    asked = AskedAgain(recorded, bot, seat, number, alone=args.alone)
    return asyncio.run(asked.ask_at_last(_way(args)))


def _way(args: argparse.Namespace) -> Callable[[Bot, View], Any]:
    if args.no_debugger:
        return answer_or_traceback
    return stepped_answer if args.step else answer_or_debugger


def _first_with_fault(file: Path) -> Record:
    for record in records_in(file):
        if any("fault" in move for round_ in record["rounds"] for move in round_["moves"]):
            return record
    raise NotFound(f"No match in {file} has a fault; say which with --match and --decision.")


def _first_fault(moves: Sequence[Record]) -> int:
    number = next((at for at, move in enumerate(moves, 1) if "fault" in move), None)
    if number is None:
        raise NotFound("This match has no fault; say which decision with --decision.")
    return number


def _bot(source: str | None, recorded: str) -> Bot:
    """Raises InvalidRequest where nobody says which program it was."""
    if source is None and recorded not in BOTS:
        raise InvalidRequest(f"Say which bot {recorded} was: --bot FILE.py, or FILE.py:CLASS.")
    return one_player(source or recorded)()


class Absent(Bot):
    """Sits where others sat; what they did is recorded."""


class _Reached(Exception):
    """The decision that is to be asked for."""

    def __init__(self, view: View) -> None:
        self.view = view


class AskedAgain(LocalMatch):
    """The recorded match, with one bot that is asked until the decision comes."""

    def __init__(
        self, recorded: Recorded, bot: Bot, seat: int, number: int, *, alone: bool
    ) -> None:
        seats = range(len(recorded.match.setup.seats))
        super().__init__(recorded.match, [bot if at == seat else Absent() for at in seats])
        self._recorded, self._seat, self._number, self._alone = recorded, seat, number, alone

    async def ask_at_last(self, way: Callable[[Bot, View], Any]) -> int:
        """Leads up to the decision, tells what it is, and asks for it in that way. Raises
        InvalidRequest for a bot that cannot prepare itself."""
        try:
            await prepared(self.bots[self._seat])
        except Exception as error:
            print(told(error))
            raise InvalidRequest(f"The bot fails in prepare: {error}") from error
        try:
            await self.play()
        except _Reached as reached:
            view = reached.view
        else:
            raise NotFound(f"Decision {self._number} was not put to a bot.")
        print(view_in_short(view))
        move = self._recorded.moves[self._number - 1]
        fault = f", a fault ({move['fault']})" if "fault" in move else ""
        print(f"recorded: {move['action']}{fault}\n")
        seed_for_decision(view)
        status = self._judged(view, await way(self.bots[self._seat], view))
        if fault and not status:
            print(
                "This time it does not fail. To go through it line by line add --step; if it goes"
            )
            print("through sets of texts, PYTHONHASHSEED=0 gives them the order of `arena play`.")
        return status

    async def ask(self, view: View) -> Fault | None:
        """Lets the bot decide, and does what was recorded."""
        if view.number == self._number:
            raise _Reached(view)
        if view.seat == self._seat and not self._alone:
            seed_for_decision(view)
            with suppress(Exception):  # also what it raised then
                await answer(self.bots[view.seat], view)
        return self._recorded.step()

    async def notify(self, seat: int, hook: Callable[[Any], Any], notice: object) -> None:
        """Calls the bot's own hooks, without a word on what goes wrong in them."""
        if getattr(hook, "__func__", None) is not Bot.on_fault:
            seed_for_hook(self.keys[seat], self.match.setup.id, hook, self.rounds)
            with suppress(Exception):
                await call(hook, notice)

    def _judged(self, view: View, given: str | int | None) -> int:
        """Says what the answer is worth; None if there was none. Returns the exit status."""
        if given is None:
            return 1
        name = type(self.bots[self._seat]).__name__
        game = self.match.game
        try:
            index = game.parse(given) if isinstance(given, str) else given
        except BadAction:
            index = -1
        if index not in view.indices:
            print(f"{name} answers {given!r}, which is not one of its actions.")
            return 1
        print(f"{name} answers {game.notation[index]!r}, which is one of its actions.")
        return 0


async def answer_or_traceback(bot: Bot, view: View) -> str | int | None:
    """The answer; None where the bot raises, whose traceback is printed."""
    try:
        return await answer(bot, view)
    except (Exception, SystemExit) as error:
        print(told(error))
        return None


async def answer_or_debugger(bot: Bot, view: View) -> str | int | None:
    """The same, with the debugger where it raises."""
    try:
        return await answer(bot, view)
    except (Exception, SystemExit) as error:
        print(told(error))
        if not isinstance(error, BadAnswer):
            with suppress(bdb.BdbQuit):
                pdb.post_mortem(own_frames(error))
        return None


def told(error: BaseException) -> str:
    """An exception with the bot's part of its traceback, if it has one."""
    return traceback_from_bot(error) or f"{type(error).__name__}: {error}"
