"""A program that is not a Python bot of the SDK: it writes JSON lines to stdout."""

import asyncio
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.base.errors import InvalidRequest
from arena.bots import HOUSE
from arena.games.rules.view import View
from arena.hosting.hosted.judge import TOO_MANY_THREADS
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.hosted.program_bot import ProgramBot
from arena.hosting.hosted.sandboxed import SandboxedBot
from arena.hosting.sandbox import python
from arena.hosting.sandbox.kinds import find_sandbox
from arena.hosting.sandbox.sandbox import SandboxLimits
from arena.hosting.submission.manifest import Manifest
from arena.protocol.decisions import encode_decision
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk import play
from arena.sdk.notices import Fault
from arena.service.host.programs import program_of
from arena.service.host.validation import validated
from tests.integration.hosting.test_hosted_bot import MATCHES, hosted

PROGRAM = """
import json, os, sys, threading

assert os.environ["DEPTH"] == "3"
assert "PYTHONPATH" not in os.environ
threading.Thread(target=len, args=[()]).start()  # programs may have threads
print("begun", file=sys.stderr)


def say(**message):
    print(json.dumps(message), flush=True)


say(protocol=1, games=["lama", "dice"], notices=True)
kinds = set()
for line in sys.stdin:
    message = json.loads(line)
    kinds.add(message["type"])
    if message["type"] == "decision":
        view = message["view"]
        if view["number"] % 2:
            say(action=view["actions"][0])
        else:
            say(index=view["indices"][0])
print("heard", sorted(kinds), file=sys.stderr)
"""


def interpreted(folder: Path, source: str, **more: Any) -> Program:
    """A program that this Python runs, as a binary."""
    home = folder / str(len(list(folder.iterdir())))
    home.mkdir(mode=0o755)
    (home / "main.py").write_text(source)
    command = [str(python.interpreter()), "-S", "main.py"]
    manifest = Manifest(language="binary", command=command, **more)
    return program_of(manifest, home, bytes(32), "mine", "1")


ALLOWANCE = Allowance(limits=SandboxLimits(memory_mb=512))


def tried(program: Program, allowance: Allowance = ALLOWANCE) -> tuple[SandboxedBot, list[str]]:
    """Validates it; what it says and what is written to the log of a submission."""

    async def validation() -> tuple[SandboxedBot, list[str]]:
        bot = SandboxedBot(find_sandbox(), program, allowance, 5000)
        try:
            _, lines = await validated(bot)
            await bot.settle()
        finally:
            bot.close()
        return bot, lines

    return asyncio.run(validation())


def refused(program: Program, allowance: Allowance = ALLOWANCE) -> tuple[str, str]:
    """Why it is refused, and what it wrote."""

    async def validation() -> tuple[str, str]:
        bot = SandboxedBot(find_sandbox(), program, allowance, 5000)
        try:
            with pytest.raises(InvalidRequest) as error:
                await validated(bot)
        finally:
            bot.close()
        return str(error.value), "".join(report.output for report in bot.reports)

    return asyncio.run(validation())


def test_any_program_may_be_hosted(open_folder: Path) -> None:
    bot, lines = tried(interpreted(open_folder, PROGRAM, environment={"DEPTH": "3"}))

    assert list(bot.games) == ["lama", "dice"]
    assert "dice: a match without a fault against careful." in lines
    assert bot.cpu_us
    written = "".join(report.output for report in bot.reports)
    assert "begun\n" in written
    assert "heard ['decision', 'match_ended', 'match_started', 'round_ended']\n" in written


def test_a_program_without_notices_gets_decisions_only(open_folder: Path) -> None:
    source = PROGRAM.replace(", notices=True", "")
    bot, _ = tried(interpreted(open_folder, source, environment={"DEPTH": "3"}))
    assert "heard ['decision']\n" in "".join(report.output for report in bot.reports)


SAYS = "import sys\nprint({!r}, flush=True)\nsys.stdin.read()"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("hello", 'It wrote "hello" to stdout, which is not a JSON object.'),
        ('{"games": ["lama"]}', 'The first line is invalid: "protocol" must be 1.'),
        ('{"protocol": 1, "games": ["go"]}', "The bot plays unknown games: go. Choose from lama"),
        (json.dumps({"protocol": 1, "games": ["lama"] * 40}), "Hello.games has 40 entries"),
    ],
)
def test_a_program_that_says_something_else_is_told(
    open_folder: Path, line: str, reason: str
) -> None:
    said, _ = refused(interpreted(open_folder, SAYS.format(line)))
    assert reason in said


def test_a_program_with_too_many_threads_is_ended_and_charged(open_folder: Path) -> None:
    source = """
import json, sys, threading
threading.stack_size(32768)
hold = threading.Event()
for _ in range(100):
    threading.Thread(target=hold.wait, daemon=True).start()
print(json.dumps({"protocol": 1, "games": ["lama"]}), flush=True)
sys.stdin.readline()
hold.wait()
"""

    async def scenario() -> None:
        async with hosted(find_sandbox(), interpreted(open_folder, source), ALLOWANCE) as one:
            one.ask(1, MATCHES[1])
            (choice,) = (await one.answer()).choices
            assert choice.error == TOO_MANY_THREADS
            await one.until(lambda: one.reports)
            assert one.reports[0].ending == TOO_MANY_THREADS

    asyncio.run(scenario())


def test_a_program_is_asked_nothing_before_its_first_line(open_folder: Path) -> None:
    """Its time does not run before it, so it could think for free."""
    source = """
import json, select, sys
early = select.select([sys.stdin], [], [], 1.0)[0]
print(json.dumps({"protocol": 1, "games": ["lama"]}), flush=True)
sys.stdin.readline()
print(json.dumps({"error": "early" if early else "asked after hello"}), flush=True)
"""

    async def scenario() -> None:
        async with hosted(find_sandbox(), interpreted(open_folder, source), ALLOWANCE) as one:
            one.ask(1, MATCHES[1])
            (choice,) = (await one.answer()).choices
            assert choice.error == "asked after hello"

    asyncio.run(scenario())


def test_a_program_that_never_says_hello_is_refused_with_its_error_and_a_hint(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a connected bot behaves that tries to reach a gateway again and again."""
    monkeypatch.setenv("ARENA_DASHBOARD", "http://arena.example")
    source = """
import socket, sys, time
try:
    socket.create_connection(("127.0.0.1", 7420))
except OSError as error:
    print(f"Error: connect failed for {__file__}: {error}", file=sys.stderr)
time.sleep(1000)
"""
    program = interpreted(open_folder, source)
    said, written = refused(program, replace(ALLOWANCE, waiting_s=1.0, idle_s=0.1))

    assert said.startswith("The bot does not start. It was not ready after 1 s of waiting")
    assert "It wrote: Error: connect failed for main.py: [Errno 1] Operation not permitted" in said
    assert said.endswith(
        "Hosted programs have no network. Use stdin and stdout to talk to the host:"
        " http://arena.example/docs/submitting#programs-in-other-languages"
    )
    assert str(program.folder) not in said + written


def test_a_program_that_cannot_be_executed_is_told_why(open_folder: Path) -> None:
    home = open_folder / "files"
    home.mkdir(mode=0o755)
    for name, content, mode in (
        ("plain", "#!/bin/sh\n", 0o644),
        ("script", "#!/no/such/interpreter\n", 0o755),
        ("other", "text", 0o755),
    ):
        (home / name).write_text(content)
        (home / name).chmod(mode)

    def reason(name: str) -> str:
        manifest = Manifest(language="binary", command=[f"./{name}"])
        return refused(program_of(manifest, home, bytes(32), "mine", "1"))[0]

    assert "plain is not executable. Run `chmod +x plain`" in reason("plain")
    assert "script needs an interpreter or libraries that hosts lack" in reason("script")
    assert "other is not a program for Linux on" in reason("other")
    assert "missing cannot be started: No such file or directory." in reason("missing")


GREEDY = """
import mmap, sys

def attempt(what):
    try:
        what()
    except (MemoryError, OSError) as error:
        print("contained", type(error).__name__, file=sys.stderr)
    else:
        print("THROUGH", file=sys.stderr)

mmap.mmap(-1, 1 << 36, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=0).close()
attempt(lambda: bytearray(200 << 20))
attempt(lambda: mmap.mmap(-1, 200 << 20))
attempt(lambda: mmap.mmap(-1, 200 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
raise SystemExit(7)
"""


def test_a_program_may_reserve_much_and_write_to_as_much_as_it_was_given(open_folder: Path) -> None:
    program = interpreted(open_folder, GREEDY)
    reason, output = refused(program, Allowance(limits=SandboxLimits(memory_mb=64)))

    assert output.splitlines() == [
        "contained MemoryError",
        "contained PermissionError",  # memory that is shared would not be counted
        "contained OSError",
    ]
    assert reason.startswith("The bot does not start. The process ended with status 7.")


PAGE = (Path(__file__).parents[3] / "docs/submitting.md").read_text()
EXCHANGE = [
    (who, said)
    for who, said in re.findall(r"^(program|host): +(\{.*\})$", PAGE, flags=re.MULTILINE)
]
REPLAYS = """
import sys

for who, said in {!r}:
    if who == "program":
        print(said, flush=True)
    elif (line := sys.stdin.readline().strip()) != said:
        print("got", line, "not", said, file=sys.stderr)
print("end", sys.stdin.read() == "", file=sys.stderr)
"""


def test_the_exchange_of_the_page_is_as_hosts_and_programs_have_it(open_folder: Path) -> None:
    assert len(EXCHANGE) == 8

    async def replayed() -> tuple[list[object], list[str]]:
        program, said = interpreted(open_folder, REPLAYS.format(EXCHANGE)), list[object]()
        async with hosted(find_sandbox(), program) as one:
            one.bot.warm_up()
            await one.until(lambda: one.bot.hello)
            for number, (who, line) in enumerate(EXCHANGE):
                if who == "host":
                    one.bot.deliver(delivered(json.loads(line), number))
                elif number:
                    [choice] = (await one.answer()).choices
                    said.append(choice.action or choice.index)
            await one.until(lambda: any(report.purpose for report in one.reports))
            return said, [report.output for report in one.reports if report.purpose]

    said, output = asyncio.run(replayed())

    answers = [json.loads(line) for who, line in EXCHANGE if who == "program"][1:]
    assert said == [next(iter(answer.values())) for answer in answers]
    assert output == ["end True\n"]


def delivered(line: dict[str, Any], ticket: int) -> pb.Batch:
    """What a gateway sends for this line."""
    kind = line.pop("type")
    if kind == "decision":
        view: Any = {key: tuple(value) if isinstance(value, list) else value
                     for key, value in line["view"].items()}  # fmt: skip
        encoded = encode_decision(View(**view), ticket, line["time_ms"])
        return pb.Batch(decisions=[pb.Decision.FromString(encoded)])
    if kind == "match_started":
        line["commitment"] = bytes.fromhex(line["commitment"])
        return pb.Batch(started=[pb.MatchStarted(**line)])
    if kind == "round_ended":
        line["hands"] = [pb.Cards(cards=hand) for hand in line["hands"]]
        return pb.Batch(rounds=[pb.RoundEnded(**line)])
    return pb.Batch(ended=[pb.MatchEnded(**line)])


def test_a_program_plays_on_its_authors_machine_too(open_folder: Path) -> None:
    folder = interpreted(open_folder, PROGRAM).folder
    (folder / "bot.toml").write_text(
        f'language = "binary"\ncommand = ["{sys.executable}", "main.py"]\n'
        '[environment]\nDEPTH = "3"\n'
    )

    bot = OnAuthorsMachine(folder)
    for game in ("lama", "dice"):
        play([bot, HOUSE["careful"]()], game, 1)
    assert bot.faults == []

    (folder / "main.py").write_text('print(\'{"protocol": 1, "games": ["lama"]}\')')
    broken = OnAuthorsMachine(folder)
    play([broken, HOUSE["careful"]()], "lama", 1)
    assert "The program ended with status 0. Its error is on stderr." in broken.faults[0]


def test_on_an_authors_machine_a_program_that_closes_stdout_and_goes_on_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.hosting.hosted.program_bot.END_S", 0.1)
    (tmp_path / "main.py").write_text(
        "import os, time\n"
        'print(\'{"protocol": 1, "games": ["lama"]}\', flush=True)\n'
        "os.close(1)\n"
        "time.sleep(1000)\n"
    )
    (tmp_path / "bot.toml").write_text(
        f'language = "binary"\ncommand = ["{sys.executable}", "main.py"]\n'
    )
    bot = OnAuthorsMachine(tmp_path)

    play([bot, HOUSE["careful"]()], "lama", 1)

    assert "closed stdin or stdout and kept running. Keep both open" in bot.faults[0]


class OnAuthorsMachine(ProgramBot):
    """The program of a folder, as its author plays with it, and its faults."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.faults: list[str] = []

    def on_fault(self, fault: Fault) -> None:
        self.faults.append(fault.reason)
