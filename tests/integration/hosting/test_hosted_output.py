"""What a hosted bot wrote, by the decision in which it wrote that."""

from dataclasses import replace
from pathlib import Path

import pytest

from arena.hosting.hosted.output import LogPart
from arena.hosting.hosted.program import Program
from arena.hosting.sandbox.kinds import find_sandbox
from arena.hosting.sandbox.sandbox import Sandbox
from arena.protocol.v1 import play_pb2 as pb
from tests.attacks.playing import ALLOWANCE, decision
from tests.integration.hosting.test_hosted_bot import MATCHES, Hosted, hosted, run

TELLS = """
import sys
from arena.sdk import Bot

print("imported")

class Tells(Bot):
    games = ("lama",)
    max_in_flight = 2
    asked = 0

    def on_round_ended(self, ended):
        print("a round ended")

    def choose(self, view):
        self.asked += 1
        {does}
        return view.actions[0]
"""
ONE, TWO = MATCHES[:2]


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return find_sandbox()


def program(folder: Path, does: str) -> Program:
    (folder / "bot.py").write_text(TELLS.format(does=does))
    return Program(folder, entry="bot.py", key=bytes(32))


async def begins(one: Hosted, *matches: str, group: int = 0) -> None:
    """Its process is ready before it is asked anything."""
    one.bot.warm_up()
    await one.until(lambda: one.bot.ready)
    one.start(*matches, group=group)


async def asks(one: Hosted, *tickets: int) -> None:
    for ticket in tickets:
        one.ask(ticket, ONE)
        await one.answer()


async def parts(one: Hosted) -> tuple[LogPart, ...]:
    await one.until(lambda: one.reports)
    assert "".join(part.text for part in one.reports[0].parts) == one.reports[0].output
    return one.reports[0].parts


def test_output_is_reported_by_decision(sandbox: Sandbox, open_folder: Path) -> None:
    says = "print(self.asked); print('and', file=sys.stderr)"

    async def scenario() -> None:
        async with hosted(sandbox, program(open_folder, says)) as one:
            await begins(one, ONE)
            await asks(one, 1, 2)
            one.bot.deliver(pb.Batch(rounds=[pb.RoundEnded(match=ONE, round=1)]))
            await asks(one, 3)
            one.bot.deliver(pb.Batch(rounds=[pb.RoundEnded(match=ONE, round=2)]))
            one.end(ONE)
            number = 1  # of the decision that the test asks for again and again
            assert await parts(one) == (
                LogPart("start", "imported\n"),
                LogPart("decision", "1\nand\n", ONE, number),
                LogPart("decision", "2\nand\n", ONE, number),
                LogPart("decision", "a round ended\n3\nand\n", ONE, number),
                LogPart("end", "a round ended\n"),
            )

    run(scenario())


def test_what_a_process_wrote_that_was_not_ready_when_it_was_asked(
    sandbox: Sandbox, open_folder: Path
) -> None:
    async def scenario() -> None:
        async with hosted(sandbox, program(open_folder, "print('asked')")) as one:
            one.ask(1, ONE)
            await one.answer()
            one.end(ONE)
            assert await parts(one) == (LogPart("decision", "imported\nasked\n", ONE, 1),)

    run(scenario())


def test_decision_without_output_has_no_part(sandbox: Sandbox, open_folder: Path) -> None:
    async def scenario() -> None:
        says = program(open_folder, "if self.asked == 2: print('hm')")
        async with hosted(sandbox, says) as one:
            await begins(one, ONE)
            await asks(one, 1, 2, 3)
            one.end(ONE)
            told = await parts(one)
            assert [(part.when, part.text) for part in told] == [
                ("start", "imported\n"),
                ("decision", "hm\n"),
            ]

    run(scenario())


def test_the_last_words_are_those_of_the_decision_that_ended_it(
    sandbox: Sandbox, open_folder: Path
) -> None:
    async def scenario() -> None:
        ends = "print('last words') if self.asked < 2 else sys.exit(3)"
        async with hosted(sandbox, program(open_folder, f"print('now'); {ends}")) as one:
            await begins(one, ONE)
            await asks(one, 1, 2)
            told = await parts(one)
            assert [(part.when, part.text, part.match) for part in told] == [
                ("start", "imported\n", ""),
                ("decision", "now\nlast words\n", ONE),
                ("unanswered", "now\n", ONE),
            ]
            assert "ended with status 3" in one.reports[0].ending

    run(scenario())


def test_output_after_a_timeout_is_a_separate_part(sandbox: Sandbox, open_folder: Path) -> None:
    burns = "print('thinking')\n        while True: pass"

    async def scenario() -> None:
        async with hosted(sandbox, program(open_folder, burns)) as one:
            await begins(one, ONE)
            one.ask(1, ONE)
            assert (await one.answer()).choices[0].timeout
            told = await parts(one)
            assert [(part.when, part.text, part.match) for part in told] == [
                ("start", "imported\n", ""),
                ("decision", "thinking\n", ONE),
            ]

    run(scenario())


def test_answers_that_come_together_share_what_was_written(
    sandbox: Sandbox, open_folder: Path
) -> None:
    async def scenario() -> None:
        async with hosted(sandbox, program(open_folder, "print(view.match)")) as one:
            await begins(one, ONE, TWO, group=5)
            batch = pb.Batch()
            for ticket, match in enumerate((ONE, TWO), 2):
                batch.MergeFrom(_asked(ticket, match))
            one.bot.deliver(batch)
            answered = 0
            while answered < 2:
                answered += len((await one.answer()).choices)
            one.end(ONE, TWO)
            told = await parts(one)
            assert told[1:] in (
                (LogPart("decision", f"{ONE}\n{TWO}\n", ONE, 1, others=1),),
                (LogPart("decision", f"{ONE}\n", ONE, 1), LogPart("decision", f"{TWO}\n", TWO, 1)),
            )

    run(scenario())


def _asked(ticket: int, match: str) -> pb.Batch:
    batch = decision(ticket, match)
    batch.packed[0].group = 5
    return batch


def test_start_of_excessive_output_is_kept(sandbox: Sandbox, open_folder: Path) -> None:
    async def scenario() -> None:
        floods = program(open_folder, "print('x' * 100_000)")
        async with hosted(sandbox, floods, replace(ALLOWANCE, most_output=1000)) as one:
            await begins(one, ONE)
            one.ask(1, ONE)
            await one.answer()
            one.end(ONE)
            assert sum(len(part.text) for part in await parts(one)) == 1000

    run(scenario())
