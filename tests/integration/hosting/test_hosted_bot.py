"""A hosted bot in its sandbox: processes, CPU time, limits, and recovery after failures."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.base.errors import Unavailable
from arena.bots import HOUSE
from arena.hosting.hosted.hosted_bot import HostedBot
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.hosted.report import IDLE, Report
from arena.hosting.hosted.room import Room
from arena.hosting.hosted.sandboxed import Fault, SandboxedBot
from arena.hosting.sandbox import kinds
from arena.hosting.sandbox.control_group import Together, control_group
from arena.hosting.sandbox.kinds import Unconfined, find_sandbox
from arena.hosting.sandbox.sandbox import Sandbox, SandboxLimits
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk import play_async
from arena.sdk.address import address
from arena.service.host.session import HostSession
from arena.service.host.validation import validated
from tests.attacks.playing import ALLOWANCE, decision, described

MATCHES = [f"match{number}".ljust(16, "x") for number in range(9)]

COUNTS = """
from arena.sdk import Bot

asked = []

class Counter(Bot):
    games = ("lama",)
    max_in_flight = 3

    def on_match_started(self, started):
        pass

    def on_round_ended(self, ended):
        for _ in range(3_000_000): pass

    def choose(self, view):
        asked.append(view.match)
        print(len(asked), flush=True)
        return view.actions[0]
"""

CHANCE = """
import random
from arena.sdk import Bot

class Chance(Bot):
    games = ("lama", "dice")

    def choose(self, view):
        names = {"a", "b", "c", "d", "e", "f"}
        drawn = [random.random(), view.rng().random(), *names]
        print(drawn)
        return view.actions[hash(str(drawn)) % len(view.actions)]
"""


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return find_sandbox()


Save = Callable[[str], Program]


@pytest.fixture
def program(open_folder: Path) -> Save:
    """Write a bot's file. Return the program."""

    def save(source: str) -> Program:
        folder = open_folder / str(len(list(open_folder.iterdir())))
        folder.mkdir(mode=0o755)
        (folder / "bot.py").write_text(source)
        return Program(folder, entry="bot.py", key=bytes(32))

    return save


class Hosted:
    """A hosted bot with its answers and reports."""

    def __init__(
        self,
        sandbox: Sandbox,
        program: Program,
        allowance: Allowance,
        room: Room | None,
        *,
        together: bool = False,
    ):
        self.answers: asyncio.Queue[pb.Choices] = asyncio.Queue()
        self.reports: list[Report] = []
        self.broken: list[str] = []
        self.bot = HostedBot(
            sandbox,
            program,
            allowance,
            self.answers.put_nowait,
            self.reports.append,
            self.broken.append,
            room,
            together=together,
        )

    async def answer(self) -> pb.Choices:
        return await asyncio.wait_for(self.answers.get(), 30)

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(30):
            while not condition():  # noqa: ASYNC110 (there is no event for it)
                await asyncio.sleep(0.01)

    def signal_processes(self, number: signal.Signals) -> None:
        for pooled in self.bot._pool:
            assert pooled.process._pidfd is not None
            signal.pidfd_send_signal(pooled.process._pidfd, number)

    def kill_processes(self) -> None:
        """As an operator would, or the kernel for lack of memory."""
        for pooled in self.bot._pool:
            pooled.process._kill()

    def kill_sandbox(self) -> None:
        server = self.bot._launcher._server
        assert server is not None
        server._sandbox.kill()

    def start(self, *matches: str, group: int = 0) -> None:
        started = [pb.MatchStarted(match=match, group=group) for match in matches]
        self.bot.deliver(pb.Batch(started=started))

    def end(self, *matches: str) -> None:
        self.bot.deliver(pb.Batch(ended=[pb.MatchEnded(match=match) for match in matches]))

    def ask(self, ticket: int, match: str, group: int = 0) -> None:
        batch = decision(ticket, match)
        batch.packed[0].group = group
        self.bot.deliver(batch)


@asynccontextmanager
async def hosted(
    sandbox: Sandbox,
    program: Program,
    allowance: Allowance = ALLOWANCE,
    room: Room | None = None,
    *,
    together: bool = False,
) -> AsyncIterator[Hosted]:
    one = Hosted(sandbox, program, allowance, room, together=together)
    try:
        yield one
    finally:
        one.bot.close()


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(scenario)


def test_each_match_begins_without_memory_of_another(sandbox: Sandbox, program: Save) -> None:
    async def scenario() -> None:
        async with hosted(sandbox, program(COUNTS)) as one:
            for number, match in enumerate(MATCHES[:3]):
                one.start(match)
                one.ask(2 * number, match)
                await one.answer()
                one.ask(2 * number + 1, match)
                await one.answer()
                one.end(match)
            await one.until(lambda: len(one.reports) == 3)
            assert [report.output for report in one.reports] == ["1\n2\n"] * 3
            assert [report.ending for report in one.reports] == [""] * 3

    run(scenario())


def test_matches_of_a_group_share_a_process_until_the_last_has_ended(
    sandbox: Sandbox, program: Save
) -> None:
    async def scenario() -> None:
        async with hosted(sandbox, program(COUNTS)) as one:
            one.start(*MATCHES[:2], group=5)
            for number in range(4):
                one.ask(number, MATCHES[number % 2], group=5)
                await one.answer()
            one.end(MATCHES[0])
            one.ask(9, MATCHES[1], group=5)
            await one.answer()
            one.end(MATCHES[1])
            await one.until(lambda: one.reports)
            assert [report.output for report in one.reports] == ["1\n2\n3\n4\n5\n"]

    run(scenario())


def test_a_bot_of_the_arenas_own_plays_all_its_matches_in_one_process(
    sandbox: Sandbox, program: Save
) -> None:
    async def scenario() -> None:
        async with hosted(sandbox, program(COUNTS), together=True) as one:
            one.start(*MATCHES[:2])
            for number, match in enumerate(MATCHES[:2]):
                one.ask(number, match)
                await one.answer()
            one.ask(3, MATCHES[1], group=7)
            await one.answer()
            one.end(*MATCHES[:2])
            await one.until(lambda: one.reports)
            assert [report.output for report in one.reports] == ["1\n2\n3\n"]

    run(scenario())


def test_a_process_stays_for_a_match_whose_beginning_it_did_not_see(
    sandbox: Sandbox, program: Save
) -> None:
    slow = COUNTS.replace("asked.append(view.match)", "import time; time.sleep(0.3)")

    async def scenario() -> None:
        async with hosted(sandbox, program(slow)) as one:
            one.start(MATCHES[0], group=5)
            one.ask(1, MATCHES[0], group=5)
            await one.answer()
            one.ask(2, MATCHES[1], group=5)
            one.end(MATCHES[0])
            assert described(await one.answer()) == "played"
            assert one.bot.processes

    run(scenario())


def test_a_match_whose_end_nobody_told_is_forgotten(sandbox: Sandbox, program: Save) -> None:
    async def scenario() -> None:
        async with hosted(sandbox, program(COUNTS), replace(ALLOWANCE, idle_s=0.05)) as one:
            one.ask(1, MATCHES[0])
            await one.answer()
            await one.until(lambda: not one.bot.has_sandbox)
            assert [report.ending for report in one.reports if report.purpose] == [""]

    run(scenario())


def test_a_process_holds_no_more_decisions_than_its_bot_takes(
    sandbox: Sandbox, program: Save
) -> None:
    async def scenario() -> None:
        async with hosted(sandbox, program(COUNTS)) as one:
            one.start(*MATCHES, group=5)
            for ticket, match in enumerate(MATCHES):
                one.ask(ticket, match, group=5)
            sizes: list[int] = []
            while sum(sizes) < len(MATCHES):
                choices = await one.answer()
                sizes.append(len(choices.tickets) + len(choices.choices))
            assert max(sizes) <= 3

    run(scenario())


def test_cpu_time_between_answers_is_charged_to_the_next(sandbox: Sandbox, program: Save) -> None:
    async def scenario() -> None:
        async with hosted(sandbox, program(COUNTS)) as one:
            one.start(MATCHES[0])
            one.ask(1, MATCHES[0])
            first = await one.answer()
            one.bot.deliver(pb.Batch(rounds=[pb.RoundEnded(match=MATCHES[0], round=1)]))
            one.ask(2, MATCHES[0])
            second = await one.answer()
            assert second.choices[0].cpu_us > first.choices[0].cpu_us + 10_000

    run(scenario())


def test_process_killed_by_others_is_asked_again_uncharged(sandbox: Sandbox, program: Save) -> None:
    slow = COUNTS.replace("asked.append(view.match)", "import time; time.sleep(0.5)")

    async def scenario() -> None:
        async with hosted(sandbox, program(slow)) as one:
            one.ask(1, MATCHES[0])
            await one.until(lambda: one.bot.ready)
            one.kill_processes()
            assert described(await one.answer()) == "played"
            assert one.reports[0].ending == "The process was ended by SIGKILL."

    run(scenario())


def test_a_sandbox_that_ends_is_another_one_and_nobody_is_charged(
    sandbox: Sandbox, program: Save
) -> None:
    slow = COUNTS.replace("asked.append(view.match)", "import time; time.sleep(0.5)")

    async def scenario() -> None:
        async with hosted(sandbox, program(slow)) as one:
            one.ask(1, MATCHES[0])
            await one.until(lambda: one.bot.ready)
            one.kill_sandbox()
            assert described(await one.answer()) == "played"
            assert one.broken == []

    run(scenario())


def test_a_sandbox_that_does_not_come_up_is_given_up(program: Save) -> None:
    class Broken:
        name = "broken"

        def command(self, spec: Any) -> Any:
            command = find_sandbox().command(spec)
            return replace(command, arguments=["/bin/false"])

    async def scenario() -> None:
        async with hosted(Broken(), program(COUNTS)) as one:
            one.ask(1, MATCHES[0])
            await one.until(lambda: one.broken)
            assert one.broken == ["The sandbox does not start."]
            assert one.answers.empty()

    run(scenario())


SLEEPS = COUNTS.replace("asked.append(view.match)", "import time; time.sleep(60)")
DOZES = COUNTS.replace("asked.append(view.match)", "import time; time.sleep(0.02)")
HURRIED = replace(ALLOWANCE, waiting_s=0.3)
WAITED = "timeout: It kept its match waiting for 0.3 s without computing, the limit per"


def test_a_bot_that_waits_for_longer_than_its_match_has_forfeits_it(
    sandbox: Sandbox, program: Save
) -> None:
    async def scenario() -> None:
        async with hosted(sandbox, program(SLEEPS), HURRIED) as one:
            one.start(MATCHES[0])
            one.ask(1, MATCHES[0])
            assert described(await one.answer()).startswith(WAITED)
            await one.until(lambda: [report for report in one.reports if report.purpose])
            report = next(report for report in one.reports if report.purpose)
            assert report.ending.startswith("It kept its match waiting for 0.3 s")
            assert report.wall_s > 0.2 > report.cpu_s
            one.ask(2, MATCHES[0])  # without another process
            again = one.answers.get_nowait()
            assert described(again).startswith(WAITED)
            assert again.choices[0].forfeits
            assert not one.bot.held

    run(scenario())


def test_many_short_waits_spend_the_budget_of_a_match_too(sandbox: Sandbox, program: Save) -> None:
    async def scenario() -> None:
        async with hosted(sandbox, program(DOZES), HURRIED) as one:
            one.start(MATCHES[0])
            said = ["played"]
            while said[-1] == "played" and len(said) < 500:
                one.ask(len(said), MATCHES[0])
                said.append(described(await one.answer()))
            assert said[-1].startswith(WAITED)

    run(scenario())


def test_each_match_has_a_waiting_budget_of_its_own(sandbox: Sandbox, program: Save) -> None:
    async def scenario() -> None:
        async with hosted(sandbox, program(SLEEPS), HURRIED) as one:
            one.start(*MATCHES[:3], group=5)
            one.ask(1, MATCHES[0], group=5)
            assert described(await one.answer()).startswith(WAITED)
            one.ask(2, MATCHES[1], group=5)
            await one.until(lambda: one.bot.held)  # that match is not over
            one.ask(3, MATCHES[0], group=5)
            assert described(one.answers.get_nowait()).startswith(WAITED)
            one.end(MATCHES[0])
            assert not one.bot._judge.waiting.any_spent

    run(scenario())


def test_a_bot_whose_threads_are_not_asleep_is_not_charged_for_waiting(
    sandbox: Sandbox, program: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a busy machine: the host takes this sleep for a wait for a core."""
    monkeypatch.setattr("arena.hosting.hosted.process.is_asleep", lambda process: False)
    slow = SLEEPS.replace("sleep(60)", "sleep(1.5)")

    async def scenario() -> None:
        async with hosted(sandbox, program("import time; time.sleep(1.5)" + slow), HURRIED) as one:
            one.ask(1, MATCHES[0])
            assert described(await one.answer()) == "played"

    run(scenario())


def test_a_bot_that_is_hidden_from_the_host_is_judged_by_its_cpu_time(
    sandbox: Sandbox, program: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hidden(process: int) -> bool:
        raise FileNotFoundError

    monkeypatch.setattr("arena.hosting.hosted.process.is_asleep", hidden)

    async def scenario() -> None:
        async with hosted(sandbox, program(SLEEPS), HURRIED) as one:
            one.ask(1, MATCHES[0])
            assert described(await one.answer()).startswith("timeout: It kept its match waiting")

    run(scenario())


def test_an_answer_that_the_host_has_not_read_yet_is_not_waited_for(
    sandbox: Sandbox, program: Save
) -> None:
    async def scenario() -> None:
        async with hosted(sandbox, program(COUNTS)) as one:
            one.start(MATCHES[0])
            await one.until(lambda: one.bot.ready)
            [process] = [pooled.process for pooled in one.bot._pool if pooled.purpose]
            await one.until(process.is_waiting)
            loop = asyncio.get_running_loop()
            loop.remove_reader(process._connection.reads)  # the host is slow
            one.ask(1, MATCHES[0])
            await one.until(process._unread)
            assert not process.is_waiting()
            loop.add_reader(process._connection.reads, process._receive)
            await one.answer()

    run(scenario())


def test_a_host_that_could_not_look_charges_nobody(sandbox: Sandbox, program: Save) -> None:
    slow = SLEEPS.replace("sleep(60)", "sleep(0.5)")

    async def scenario() -> None:
        async with hosted(sandbox, program(slow), replace(HURRIED, waiting_s=2.0)) as one:
            one.ask(1, MATCHES[0])
            await one.until(lambda: one.bot.ready)
            await asyncio.sleep(0.2)
            one.signal_processes(signal.SIGSTOP)  # the whole machine stands still
            time.sleep(3.0)  # noqa: ASYNC251 (so does the host)
            asyncio.get_running_loop().call_later(0.2, one.signal_processes, signal.SIGCONT)
            assert described(await one.answer()) == "played"

    run(scenario())


@pytest.mark.parametrize("goes_on", ["import time; time.sleep(60)", "while True: pass"])
def test_a_process_that_goes_on_after_its_match_is_ended(
    sandbox: Sandbox, program: Save, monkeypatch: pytest.MonkeyPatch, goes_on: str
) -> None:
    monkeypatch.setattr("arena.hosting.hosted.judge.END_CPU_S", 0.2)
    source = f"{COUNTS}\n    def on_match_ended(self, ended):\n        {goes_on}\n"

    async def scenario() -> None:
        async with hosted(sandbox, program(source), HURRIED) as one:
            one.start(MATCHES[0])
            one.ask(1, MATCHES[0])
            await one.answer()
            one.end(MATCHES[0])
            await one.until(lambda: not one.bot.busy)
            ended = [report.ending for report in one.reports if report.purpose]
            assert ended == ["It did not exit after its match, and was ended."]

    run(scenario())


def test_a_process_that_gets_ready_late_is_not_idle(sandbox: Sandbox, program: Save) -> None:
    slow = "import time; time.sleep(1)" + COUNTS

    async def scenario() -> None:
        async with hosted(sandbox, program(slow), replace(ALLOWANCE, idle_s=0.3)) as one:
            one.bot.warm_up()
            await one.until(lambda: one.bot.ready)
            one.ask(1, MATCHES[0])
            assert described(await one.answer()) == "played"
            assert one.reports == []  # it is the process that was warmed up

    run(scenario())


def test_a_bot_that_starts_for_longer_than_the_idle_time_is_accepted(
    sandbox: Sandbox, program: Save
) -> None:
    """As a heavy import does on a busy machine."""
    slow = CHANCE.replace("import random", "import random, time; time.sleep(1)")

    async def scenario() -> None:
        bot = SandboxedBot(sandbox, program(slow), replace(ALLOWANCE, idle_s=0.2), move_ms=5000)
        try:
            hello, _ = await validated(bot)
        finally:
            bot.close()
        assert list(hello.games) == ["lama", "dice"]
        assert IDLE not in [report.ending for report in bot.reports]

    run(scenario())


def test_missing_package_of_the_host_is_not_charged(sandbox: Sandbox, program: Save) -> None:
    async def scenario() -> None:
        asks_for_more = replace(program(COUNTS), packages=("no-such-package",))
        async with hosted(sandbox, asks_for_more) as one:
            one.ask(1, MATCHES[0])
            await one.until(lambda: one.broken)
            assert one.broken[0] == "The package no-such-package is not installed on this host."
            assert one.answers.empty()

    run(scenario())


def test_without_a_sandbox_it_plays_the_same(program: Save) -> None:
    async def scenario() -> None:
        async with hosted(Unconfined(), program(COUNTS)) as one:
            one.start(MATCHES[0])
            one.ask(1, MATCHES[0])
            assert described(await one.answer()) == "played"
            one.end(MATCHES[0])
            await one.until(lambda: one.reports)
            assert one.reports[0].output == "1\n"

    run(scenario())


def test_a_machine_without_any_sandbox_is_told_what_each_kind_lacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Missing:
        name = "missing"

        def command(self, spec: Any) -> Any:
            raise Unavailable("there is no such thing.")

    monkeypatch.setattr(kinds, "kinds", lambda: (Missing(), Missing()))
    with pytest.raises(Unavailable, match=r"cannot host bots.*missing: there is no such thing\.$"):
        kinds.find_sandbox()


def test_a_session_that_fails_by_itself_is_begun_anew(
    sandbox: Sandbox, program: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(self: HostSession) -> None:
        raise ValueError("as it may be")

    async def scenario() -> None:
        monkeypatch.setattr(HostSession, "_one_stream", fails)
        session = HostSession(
            address("127.0.0.1:1"), "", sandbox, program(COUNTS), ALLOWANCE, pb.Hello(), 1, Room(1)
        )
        async with asyncio.timeout(10):
            while not session.broken:  # noqa: ASYNC110 (there is no event for it)
                await asyncio.sleep(0.01)
        await session.close()
        assert session.broken == "ValueError: as it may be"

    run(scenario())


def test_control_group_limits_all_bots_together(sandbox: Sandbox, program: Save) -> None:
    """Four processes, each within its own limit, that are too many for the group: the kernel ends
    one or another of them, and nothing else."""
    hungry = COUNTS.replace("asked.append", "self.kept = bytearray(60_000_000); asked.append")
    try:
        group = control_group(Together(memory_mb=200, processes=500))
    except Unavailable:
        return  # then docs/hosting.md promises nothing

    async def scenario() -> None:
        allowance = replace(ALLOWANCE, limits=SandboxLimits(memory_mb=128), group=group)
        async with hosted(sandbox, program(hungry), allowance) as one:
            for number in range(4):
                one.ask(number, MATCHES[number])
            await one.until(lambda: any("SIGKILL" in report.ending for report in one.reports))
            assert one.broken == []
            assert one.bot.has_sandbox

    try:
        run(scenario())
    finally:
        group.remove()
    assert not any(folder.exists() for folder in group.folders)


def test_match_gets_the_place_of_the_first_idle_process(sandbox: Sandbox, program: Save) -> None:
    slow = COUNTS.replace("asked.append(view.match)", "import time; time.sleep(0.2)")

    async def scenario() -> None:
        async with hosted(sandbox, program(slow), room=Room(1)) as one:
            for number in range(3):
                one.ask(number, MATCHES[number])
            answered = [(await one.answer()).choices[0].ticket for _ in range(3)]
            assert answered == [0, 1, 2]

    run(scenario())


def test_for_lack_of_room_the_process_goes_that_waited_longest(
    sandbox: Sandbox, program: Save
) -> None:
    async def scenario() -> None:
        async with hosted(sandbox, program(COUNTS), room=Room(2)) as one:
            for number, match in enumerate(MATCHES[:4]):
                one.start(match)
                one.ask(number, match)
                await one.answer()
                assert one.bot.processes <= 2
            one.ask(9, MATCHES[0])
            assert described(await one.answer()) == "played"

    run(scenario())


def test_waiting_bot_gets_room_when_another_is_closed(sandbox: Sandbox, program: Save) -> None:
    slow = COUNTS.replace("asked.append(view.match)", "import time; time.sleep(60)")

    async def scenario() -> None:
        room = Room(1)
        async with hosted(sandbox, program(COUNTS), room=room) as waiting:
            async with hosted(sandbox, program(slow), room=room) as one:
                one.ask(1, MATCHES[0])
                one.ask(2, MATCHES[1])  # for which there is no room
                waiting.ask(3, MATCHES[2])
                assert (one.bot.processes, waiting.bot.processes) == (1, 0)
            assert described(await waiting.answer()) == "played"
            assert not one.bot.has_sandbox  # its queued work does not start again

    run(scenario())


def test_repeated_decision_is_not_asked_again(sandbox: Sandbox, program: Save) -> None:
    slow = COUNTS.replace("asked.append(view.match)", "import time; time.sleep(0.3)")

    async def scenario() -> None:
        async with hosted(sandbox, program(slow)) as one:
            one.ask(1, MATCHES[0])
            one.bot.deliver(decision(1, MATCHES[0]), again=True)
            await one.answer()
            one.ask(2, MATCHES[0])
            await one.answer()
            assert one.answers.empty()

    run(scenario())


def test_a_sandbox_in_which_nothing_happens_is_taken_down(sandbox: Sandbox, program: Save) -> None:
    async def scenario() -> None:
        async with hosted(sandbox, program(COUNTS), replace(ALLOWANCE, idle_s=0.2)) as one:
            one.start(MATCHES[0])
            one.ask(1, MATCHES[0])
            await one.answer()
            one.end(MATCHES[0])
            await one.until(lambda: not one.bot.has_sandbox)
            assert one.bot.processes == 0
            one.ask(2, MATCHES[1])
            assert described(await one.answer()) == "played"

    run(scenario())


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("x = 1", "has no bot. A bot is a class derived from"),
        ("while True: pass", "It was not ready after"),
        (
            "from arena.sdk import Bot\nclass B(Bot):\n    def prepare(self): raise OSError('no')",
            "OSError: no",
        ),
    ],
)
def test_bot_that_does_not_start_gets_the_reason(
    sandbox: Sandbox, program: Save, source: str, reason: str
) -> None:
    async def scenario() -> None:
        bot = SandboxedBot(sandbox, program(source), replace(ALLOWANCE, start_cpu_s=0.5))
        with pytest.raises(Fault) as refused:
            await bot.prepare()
        bot.close()
        assert reason in str(refused.value)

    run(scenario())


@pytest.mark.parametrize("game", ["lama", "dice"])
def test_the_same_match_is_played_in_the_same_way(
    sandbox: Sandbox, program: Save, game: str
) -> None:
    chance = program(CHANCE)

    async def played() -> tuple[dict[str, Any], str]:
        bot = SandboxedBot(sandbox, chance, ALLOWANCE, move_ms=5000)
        record = await play_async(
            [bot, HOUSE["careful"]()], game=game, seed=3, match="thesameonceagain"
        )
        bot.close()
        assert not bot.faults
        return record, "".join(report.output for report in bot.reports)

    async def scenario() -> None:
        assert await played() == await played()

    run(scenario())
