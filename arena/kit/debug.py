"""`arena debug`: ask a bot again for one decision of a recorded match, under the debugger.

The bot first gets its earlier decisions and notices of the match, to rebuild its memory. Its
answers to them are ignored: the match follows the record.
"""

import argparse
import asyncio
import bdb
import pdb
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from arena.base.errors import InvalidRequest, NotFound
from arena.base.extras import MissingExtra
from arena.base.text import latency
from arena.bots import BOTS
from arena.games.match import Fault
from arena.games.rules import View
from arena.games.rules.errors import BadAction
from arena.kit.debugger import Interrupted, interrupted_after, stepped_answer
from arena.kit.play.job import HANG_S
from arena.kit.play.observed import traceback_from_bot, view_in_short
from arena.kit.play.options import at_least
from arena.kit.players import Player, one_player, players_of
from arena.kit.records import find_record, records_in
from arena.kit.seeding import seed_for_decision, seed_for_hook
from arena.sdk import Bot
from arena.sdk.answer import BadAnswer, call, own_frames
from arena.sdk.asking import answer, prepared
from arena.sdk.local import LocalMatch
from arena.sdk.recorded import Record, Recorded, replayed

Way: TypeAlias = Callable[[Bot, View], Any]
NO_FAULT = """\
This time it does not fail. To step through it, add --step. If it iterates over
sets of strings, PYTHONHASHSEED=0 gives them the order of `arena play`."""
EPILOG = """\
examples (`arena play` prints the whole command below each fault):
  arena debug play-faults.jsonl --bot mybot.py
  arena debug played.jsonl --match 8s3kd02mvq7xw9aj --decision 17 --bot mybot.py --step
  arena debug play-faults.jsonl --bot "node mybot.js"
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Repeat a decision of a recorded match.\n\n"
        "If the bot raises an exception or does not answer, Python's debugger opens at that line.\n"
        "Otherwise the answer is printed. For a program in another language, the answer, the time\n"
        "and the output are printed."
    )
    parser.epilog = EPILOG
    parser.add_argument("file", type=Path, metavar="FILE", help="match records, from `arena play`")
    parser.add_argument(
        "--bot",
        help="bot to ask: FILE.py, FILE.py:CLASS, module:CLASS, or the command that starts it",
    )
    parser.add_argument("--match", metavar="ID", help="match [the first with a fault]")
    parser.add_argument(
        "--decision",
        type=int,
        metavar="N",
        help="number of the decision [the first fault of the match]",
    )
    parser.add_argument(
        "--step",
        action="store_true",
        help="open the debugger at the first line of choose, not only at an exception",
    )
    parser.add_argument(
        "--alone",
        action="store_true",
        help="do not give the bot its earlier decisions of the match",
    )
    parser.add_argument(
        "--no-debugger", action="store_true", help="print the traceback or the answer instead"
    )
    parser.add_argument(
        "--move-time", type=at_least(1), metavar="MS", default=round(1000 * HANG_S),
        help=f"time limit in milliseconds; Ctrl-C interrupts the bot, too [{1000 * HANG_S:g}]",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Ask the bot. Returns 1 if it fails again, else 0. Raises ArenaError."""
    record = find_record(args.file, args.match) if args.match else _first_with_fault(args.file)
    replayed(record)
    recorded = Recorded(record)
    number = _first_fault(recorded.moves) if args.decision is None else args.decision
    if not 1 <= number <= len(recorded.moves):
        raise InvalidRequest(
            f"There is no decision {number}. This match has 1 to {len(recorded.moves)}."
        )
    move = recorded.moves[number - 1]
    if "latency_us" not in move:
        raise InvalidRequest(
            f"The bot was not asked for decision {number}: the rules left no choice."
        )
    seat = move["seat"]
    player = _player(args.bot, record["seats"][seat]["bot"])
    if player.program and args.step:
        raise InvalidRequest("--step needs a bot in Python. Remove it to see the answer.")
    way = _way(args, program=player.program)
    return asyncio.run(_ask(args, recorded, player, seat, number, way))


async def _ask(
    args: argparse.Namespace, recorded: Recorded, player: Player, seat: int, number: int, way: Way
) -> int:
    bot = _program(player, args.move_time) if player.program else one_player(player.source)()
    try:
        await _prepare(bot, player)
        limit_s = args.move_time / 1000
        asked = AskedAgain(recorded, bot, player, seat, number, limit_s=limit_s, alone=args.alone)
        return await asked.ask_at_last(way)
    finally:
        if player.program:
            await bot.close()  # type: ignore[attr-defined]


async def _prepare(bot: Bot, player: Player) -> None:
    """Run the bot's `prepare`. Raises InvalidRequest if it fails."""
    try:
        await prepared(bot)
    except Exception as error:
        if player.program or isinstance(error, MissingExtra):
            raise
        print(error_text(error))
        raise InvalidRequest(f"The bot failed in prepare. {error}") from error


def _program(player: Player, move_ms: int) -> Bot:
    from arena.kit.play.programs import ProgramBot  # which needs gRPC

    return ProgramBot(player.name, player.source, move_ms)


def _way(args: argparse.Namespace, *, program: bool) -> Way:
    if program:
        return answer_with_output
    if args.step:
        return stepped_answer
    return partial(_interruptible, args.move_time / 1000, args.no_debugger)


def _first_with_fault(file: Path) -> Record:
    for record in records_in(file):
        if any("fault" in move for round_ in record["rounds"] for move in round_["moves"]):
            return record
    raise NotFound(
        f"No match in {file} has a fault. Choose a decision with --match and --decision."
    )


def _first_fault(moves: Sequence[Record]) -> int:
    number = next((at for at, move in enumerate(moves, 1) if "fault" in move), None)
    if number is None:
        raise NotFound("This match has no fault. Choose a decision with --decision.")
    return number


def _player(source: str | None, recorded: str) -> Player:
    """Return the bot that is named or was recorded. Raises InvalidRequest if it is unknown."""
    if source is None and recorded not in BOTS:
        raise InvalidRequest(
            f"{recorded} is not a house bot. Name its program: --bot FILE.py[:CLASS]."
        )
    return players_of([source or recorded])[0]


class Absent(Bot):
    """Placeholder at the other seats, whose moves are recorded."""


class _Reached(Exception):
    """Raised at the decision to repeat."""

    def __init__(self, view: View) -> None:
        self.view = view


class AskedAgain(LocalMatch):
    """The recorded match, replayed with one bot up to the decision."""

    def __init__(
        self,
        recorded: Recorded,
        bot: Bot,
        player: Player,
        seat: int,
        number: int,
        *,
        limit_s: float,
        alone: bool,
    ) -> None:
        seats = range(len(recorded.match.setup.seats))
        super().__init__(recorded.match, [bot if at == seat else Absent() for at in seats])
        self._recorded, self._seat, self._number, self._alone = recorded, seat, number, alone
        self._bot, self._player, self._limit_s = bot, player, limit_s

    async def ask_at_last(self, way: Way) -> int:
        """Play up to the decision, print it and ask for it. Returns the exit status."""
        try:
            await self.play()
        except _Reached as reached:
            view = reached.view
        else:
            raise NotFound(f"The bot was not asked for decision {self._number}.")
        print(view_in_short(view))
        move = self._recorded.moves[self._number - 1]
        fault = f", a fault ({move['fault']})" if "fault" in move else ""
        print(f"recorded: {move['action']}{fault}\n")
        seed_for_decision(view)
        status = self._judged(view, await way(self._bot, view))
        if fault and not status:
            print("This time it does not fail." if self._player.program else NO_FAULT)
        return status

    async def ask(self, view: View) -> Fault | None:
        """Let the bot decide, then play the recorded move."""
        if view.number == self._number:
            raise _Reached(view)
        hung = self._recorded.move.get("fault") == "timeout"
        if view.seat == self._seat and not self._alone and not hung:
            seed_for_decision(view)
            with suppress(Exception, Interrupted), self._interruptible():
                await answer(self._bot, view)
        return self._recorded.step()

    def _interruptible(self) -> AbstractContextManager[None]:
        return nullcontext() if self._player.program else interrupted_after(self._limit_s)

    async def notify(self, seat: int, hook: Callable[[Any], Any], notice: object) -> None:
        """Call the bot's own hooks and ignore their errors."""
        if getattr(hook, "__func__", None) is not Bot.on_fault:
            seed_for_hook(self.keys[seat], self.match.setup.id, hook, self.rounds)
            with suppress(Exception):
                await call(hook, notice)

    def _judged(self, view: View, given: str | int | None) -> int:
        """Print whether the answer is legal; `given` is None without one. Returns the status."""
        if given is None:
            return 1
        name = self._player.name if self._player.program else type(self._bot).__name__
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


async def _interruptible(
    limit_s: float, no_debugger: bool, bot: Bot, view: View
) -> str | int | None:
    """Return the answer. If the bot raises or hangs, print the traceback, open the debugger and
    return None."""
    try:
        with interrupted_after(limit_s):
            return await answer(bot, view)
    except (Exception, SystemExit, Interrupted) as error:
        print(error_text(error))
        if not isinstance(error, BadAnswer) and not no_debugger:
            with suppress(bdb.BdbQuit):
                pdb.post_mortem(own_frames(error) or error.__traceback__)
        return None


async def answer_with_output(bot: Bot, view: View) -> str | int | None:
    """Return a program's answer, or None, and print its time and output."""
    from arena.kit.play.programs import ProgramBot

    assert isinstance(bot, ProgramBot)
    given = None
    try:
        given = await answer(bot, view)
    except Exception as error:
        print(f"Fault: {error}")
    print(f"Time: {latency(bot.spent_ns / 1000)}. The debugger works only for bots in Python.")
    print(f"Output:\n{output}" if (output := bot.output()) else "No output.")
    return given


def error_text(error: BaseException) -> str:
    """Return the bot's part of the traceback, else the exception alone."""
    return traceback_from_bot(error) or f"{type(error).__name__}: {error}"
