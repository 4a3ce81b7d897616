"""A hosted bot in a match of the local harness, without a sandbox: answers that come too late."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from arena.games.match import Match, MatchSetup, Seat
from arena.hosting.hosted.hosted_bot import HostedBot
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.hosted.sandboxed import Fault, SandboxedBot
from arena.hosting.sandbox.kinds import Unconfined
from arena.protocol.v1 import play_pb2 as pb


class Silent:
    """A hosted bot that takes decisions, and answers none."""

    def __init__(self) -> None:
        self.batches: list[pb.Batch] = []

    def deliver(self, batch: pb.Batch) -> None:
        self.batches.append(batch)


async def asked() -> tuple[SandboxedBot, asyncio.Task[Any]]:
    """A bot that has been asked for its decision, with ticket 1."""
    bot = SandboxedBot(Unconfined(), Program(Path()), Allowance())
    bot._hosted = cast("HostedBot", Silent())
    view = Match(MatchSetup("match", "lama", bytes(16), (Seat("a"), Seat("b")))).decision
    assert view is not None
    task = asyncio.create_task(bot.choose(view))
    await asyncio.sleep(0)
    return bot, task


LATE = [
    pb.Choices(tickets=[1], indices=[0]),
    pb.Choices(choices=[pb.Choice(ticket=1, action="draw")]),
    pb.Choices(choices=[pb.Choice(ticket=1, timeout="It used too much.")]),
]


@pytest.mark.parametrize("late", LATE)
@pytest.mark.parametrize("cleaned_up", [False, True])
def test_an_answer_to_a_match_that_was_given_up_is_ignored(
    late: pb.Choices, cleaned_up: bool
) -> None:
    async def scenario() -> None:
        bot, task = await asked()
        task.cancel()
        if cleaned_up:
            await asyncio.wait([task])
        bot._answered(late)
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())


def test_first_of_two_answers_counts() -> None:
    async def scenario() -> None:
        bot, task = await asked()
        bot._answered(LATE[2])
        bot._answered(LATE[0])
        with pytest.raises(Fault, match="It used too much"):
            await task

    asyncio.run(scenario())
