"""`arena check`: what keeps to the contract passes, what does not is told why."""

import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from arena.base.errors import InvalidRequest
from arena.kit import commands
from arena.kit.check.checks import CHECKS, LARGE, unknown_field
from arena.protocol.v1 import play_pb2 as pb

BOT = Path(__file__).parents[1] / "misbehaving.py"
WITH_SDK = """
import numpy as np
from arena.sdk import Bot

class Batches(Bot):
    games = ("lama", "party", "dice", "kadabra")
    max_in_flight = 200

    def choose_batch(self, decisions):
        return decisions.legal().argmax(axis=1)

    def on_match_ended(self, ended):
        assert min(ended.ranks) == 1
"""


def misbehaving(how: str) -> str:
    return shlex.join([sys.executable, str(BOT), how])


def check(*words: str) -> int:
    return commands.run("check", [*words, "--matches", "1", "--move-time", "1"])


def test_a_bot_of_the_sdk_passes_every_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "batches.py").write_text(WITH_SDK)
    status = check(str(tmp_path / "batches.py"))
    said = capsys.readouterr().out
    assert status == 0, said
    assert re.findall(r"^ok      (.*?): ", said, re.MULTILINE) == [each.name for each in CHECKS]


def test_a_bot_of_few_lines_passes_too(capsys: pytest.CaptureFixture[str]) -> None:
    status = check(misbehaving("not at all"))
    said = capsys.readouterr().out
    assert status == 0, said
    assert "-       packed decisions: the bot does not read packed decisions" in said


# Advice that depends on how a check failed
LEGAL = "Answer with one of view.actions, or with the corresponding index in view.indices."
ADVICE = {
    "an illegal action": LEGAL,
    "an illegal index": LEGAL,
    "its own error": "Find the cause in the bot's output.",
    "its own timeout": "Find out what the bot waits for.",
    "too slow": "Answer within the time of the decision, or raise --move-time.",
}


@pytest.mark.parametrize(
    ("how", "only", "why"),
    [
        ("another protocol", "Hello", "The Hello has protocol 2 instead of 1."),
        ("a game that is none", "Hello", "The Hello has unknown games: chess. Known: lama"),
        ("more than is allowed", "Hello", "The Hello has max_in_flight 5000, over 4096."),
        ("no token", "Hello", 'The bot did not send the metadata "authorization: Bearer TOKEN"'),
        ("Hello twice", "silence", "The bot sent a message without a decision."),
        ("an illegal action", "every game and number of seats", "chose 'play 9', which is not"),
        ("an illegal index", "every game and number of seats", "chose index 99, which is not"),
        (
            "its own error",
            "every game and number of seats",
            "reported the error 'no idea': lama at 2",
        ),
        (
            "its own timeout",
            "every game and number of seats",
            "reported the timeout '2 s gone': lama at 2",
        ),
        ("no answer in a choice", "every game and number of seats", "choice without an answer"),
        ("too slow", "every game and number of seats", "No answer within 1 s at decision"),
        ("another ticket", "every game and number of seats", ", which is not open."),
        ("twice", "every game and number of seats", ", which is not open."),
        (
            "it ends at a problem",
            "too late",
            "The bot ended the stream. Its program ended with status 1.",
        ),
        (
            "it does not come back",
            "cut off in a match",
            "The bot did not connect again within 2 s.",
        ),
        ("it comes back for ever", "closed for good", "again after Closed with reconnect = false."),
        ("for ever", "refused", "times with a rejected token."),
        ("without a word", "refused", "The bot stopped, but did not print the reason."),
    ],
)
def test_protocol_violations_are_reported(
    how: str,
    only: str,
    why: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.kit.check.trial.BACK_WITHIN_S", 2.0)
    assert check(misbehaving(how), "--only", only, "--start-time", "3") == 1
    said = capsys.readouterr().out
    (remedy,) = {each.remedy for each in CHECKS if each.name == only}
    assert f"FAILED  {only}: " in said
    assert why in said
    assert ADVICE.get(how, remedy) in said


def test_a_bot_that_is_started_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        place = f"127.0.0.1:{probe.getsockname()[1]}"
    bot = subprocess.Popen(
        shlex.split(misbehaving("not at all")),
        env={"ARENA_URL": place, "ARENA_TOKEN": "mine"},
        stderr=subprocess.DEVNULL,
    )
    with bot:
        assert check("--listen", place, "--token", "mine", "--start-time", "20") == 0
        bot.terminate()
    said = capsys.readouterr().out
    assert f"Waiting for a bot at {place}, with ARENA_TOKEN=mine" in said
    assert "-       refused: not possible for a bot started elsewhere" in said


def test_a_program_that_does_not_connect_is_told_with_what_it_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert check("echo nothing to connect", "--start-time", "60") == 1
    said = capsys.readouterr().out
    assert "FAILED  The program ended with status 0 before it connected." in said
    assert "    nothing to connect" in said


def test_a_bot_that_never_answers_ends_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "hang.py").write_text(
        "import time\nfrom arena.sdk import Bot\nclass Hang(Bot):\n"
        "    def choose(self, view):\n        time.sleep(1000)\n"
    )
    assert check(str(tmp_path / "hang.py")) == 1
    said = capsys.readouterr().out
    assert said.count("No answer within 1 s at decision 1 of match check") == 2
    assert "The bot cannot play. The other checks are skipped." in said


def test_a_bot_that_ends_its_program_gets_no_unrelated_advice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "exits.py").write_text(
        "import sys\nfrom arena.sdk import Bot\nclass Exits(Bot):\n"
        "    def choose(self, view):\n        sys.exit(3)\n"
    )
    assert check(str(tmp_path / "exits.py")) == 1
    said = capsys.readouterr().out
    assert said.count("The bot ended the stream. Its program ended with status 3.") == 2
    assert said.count("Find out why it ended.") == 2
    assert "4 MiB" not in said
    assert LEGAL not in said


def test_a_slow_check_says_how_far_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.kit.check.command.TELL_S", 0.2)
    (tmp_path / "slow.py").write_text(
        "import time\nfrom arena.sdk import Bot\nclass Slow(Bot):\n"
        "    max_seats = 2\n"
        "    def choose(self, view):\n        time.sleep(0.1)\n        return view.actions[0]\n"
    )
    assert check(str(tmp_path / "slow.py"), "--only", "the same decision again") == 0
    assert re.search(
        r"^\.\.\.     the same decision again: 0 matches, 1 decisions, median",
        capsys.readouterr().out,
        re.M,
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "Give either a bot to start or --listen."),
        (["a.py", "--listen", "127.0.0.1:0"], "Give either a bot to start or --listen."),
        (["nowhere.py"], "There is no file nowhere.py."),
        (["no-such-program --fast"], "no-such-program cannot be started"),
    ],
)
def test_bad_input_says_what_to_do(words: list[str], says: str) -> None:
    with pytest.raises(InvalidRequest, match=says):
        check(*words)


def test_unknown_field_is_skipped_by_readers() -> None:
    message = pb.ArenaMessage(problem=pb.Problem(code="x"))
    padded = pb.ArenaMessage.FromString(message.SerializeToString() + unknown_field(LARGE))
    assert padded.problem == message.problem
    assert padded.ByteSize() > LARGE
