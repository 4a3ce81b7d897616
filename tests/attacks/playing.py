"""Plays a hosted bot without an arena: two decisions per match."""

import asyncio
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import game_class
from arena.games.rules.packed import layout_of
from arena.hosting.hosted.hosted_bot import HostedBot
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.hosted.report import Report
from arena.hosting.sandbox.sandbox import Sandbox, SandboxLimits
from arena.protocol.v1 import play_pb2 as pb

MATCH = "attack0000000000"
TICKETS = count(1)
LONGEST_S = 60.0

ALLOWANCE = Allowance(limits=SandboxLimits(memory_mb=64), waiting_s=4.0, most_processes=4)


class Outcome(NamedTuple):
    """The outcome of two decisions of a bot."""

    answers: list[str]  # "played", or the kind and the sentence of the fault
    endings: list[str]  # of its processes
    output: str


async def played(
    sandbox: Sandbox,
    folder: Path,
    command: tuple[str, ...] = (),
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Outcome:
    """Ask the bot of attacker.py, or this program, twice in a match."""
    answers: asyncio.Queue[pb.Choices] = asyncio.Queue()
    reports: list[Report] = []
    entry = "" if command else "attacker.py"
    program = Program(folder, entry=entry, command=command, environment=variables, key=bytes(32))
    bot = HostedBot(sandbox, program, ALLOWANCE, answers.put_nowait, reports.append, _raise)
    try:
        said = [await _asked(bot, answers) for _ in range(2)]
        bot.deliver(pb.Batch(ended=[pb.MatchEnded(match=MATCH)]))
        await _until_ended(bot)
    finally:
        bot.close()
    return Outcome(
        said, [one.ending for one in reports], "".join(one.output for one in reports)[:10_000]
    )


async def _asked(bot: HostedBot, answers: asyncio.Queue[pb.Choices]) -> str:
    bot.deliver(decision(next(TICKETS)))
    return described(await asyncio.wait_for(answers.get(), LONGEST_S))


def _raise(reason: str) -> None:
    raise RuntimeError(f"The sandbox does not start: {reason}")


async def _until_ended(bot: HostedBot) -> None:
    while bot.busy:  # noqa: ASYNC110 (a bot has no event for its processes)
        await asyncio.sleep(0.01)


def decision(ticket: int, match: str = MATCH) -> pb.Batch:
    """Return a decision of LAMA with 0.3 s for it."""
    setup = MatchSetup(match, "lama", bytes(16), (Seat("a"), Seat("b")))
    view = Match(setup).decision
    assert view is not None
    row, moves = layout_of(game_class("lama"), 2).pack(view)
    batch = pb.Batch()
    batch.packed.add(game="lama", seats=2, time_ms=300, tickets=[ticket], rows=row, moves=moves)
    return batch


def described(choices: pb.Choices) -> str:
    """Describe the answer to the only decision."""
    if choices.tickets:
        return "played"
    choice = choices.choices[0]
    kind = choice.WhichOneof("answer") or "nothing"
    return "played" if kind == "action" else f"{kind}: {getattr(choice, kind)}"
