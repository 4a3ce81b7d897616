"""Plays a bot that is hosted, without an arena: two decisions of a match."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from arena.hosted.clock import Guard
from arena.hosted.hosted_bot import HostedBot, Report
from arena.hosted.program import Allowance, Program
from arena.jail import Jail, Limits
from arena.match import Match, MatchSetup, Seat
from arena.protocol.v1 import play_pb2 as pb
from arena.rules import game_class
from arena.rules.packed import layout_of

MATCH = "attackattackatta"
LONGEST_S = 60.0

ALLOWANCE = Allowance(
    limits=Limits(memory_mb=64), guard=Guard(4.0, 0.0), start_s=30.0, most_processes=4
)


class Outcome(NamedTuple):
    """What became of a bot in two decisions."""

    answers: list[str]  # "played", or the sentence of the fault, its kind before it
    cpu_us: list[int]
    endings: list[str]  # of its processes
    output: str


async def played(
    jail: Jail,
    folder: Path,
    number: int,
    command: tuple[str, ...] = (),
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Outcome:
    """Asks the bot of attacker.py, or this program, twice, one after the other. `number`: of its
    tickets."""
    answers: asyncio.Queue[pb.Choices] = asyncio.Queue()
    reports: list[Report] = []
    entry = "" if command else "attacker.py"
    program = Program(folder, entry=entry, command=command, environment=variables, key=bytes(32))
    bot = HostedBot(jail, program, ALLOWANCE, answers.put_nowait, reports.append, _raise)
    said, used = [], []
    try:
        for ticket in (2 * number + 1, 2 * number + 2):
            bot.deliver(decision(ticket))
            choices = await asyncio.wait_for(answers.get(), LONGEST_S)
            said.append(described(choices))
            used += [*choices.cpu_us, *(choice.cpu_us for choice in choices.choices)]
        bot.deliver(pb.Batch(ended=[pb.MatchEnded(match=MATCH)]))
        await _until_ended(bot)
    finally:
        bot.close()
    return Outcome(
        said, used, [one.ending for one in reports], "".join(one.output for one in reports)[:4000]
    )


def _raise(reason: str) -> None:
    raise RuntimeError(f"The jail does not come up: {reason}")


async def _until_ended(bot: HostedBot) -> None:
    while bot.busy:  # noqa: ASYNC110 (a bot has no event for its processes)
        await asyncio.sleep(0.01)


def decision(ticket: int, match: str = MATCH) -> pb.Batch:
    """A decision of LAMA with 0.3 s for it."""
    setup = MatchSetup(match, "lama", bytes(16), (Seat("a"), Seat("b")))
    view = Match(setup).decision
    assert view is not None
    row, moves = layout_of(game_class("lama"), 2).pack(view)
    batch = pb.Batch()
    batch.packed.add(game="lama", seats=2, time_ms=300, tickets=[ticket], rows=row, moves=moves)
    return batch


def described(choices: pb.Choices) -> str:
    """What was answered to the one decision."""
    if choices.tickets:
        return "played"
    choice = choices.choices[0]
    kind = choice.WhichOneof("answer") or "nothing"
    return "played" if kind == "action" else f"{kind}: {getattr(choice, kind)}"
