"""`arena play` and `arena debug` with programs that commands start."""

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.base.errors import InvalidRequest
from arena.kit.commands import run

# It speaks gRPC by itself, and takes the first action, but once it does what it is told.
PROGRAM = """
import os, queue, sys, time
from pathlib import Path
import grpc
from arena.protocol.v1 import play_pb2 as pb

HOW = sys.argv[1]
DONE, MOST = Path("done"), Path("most")
most = 0

def answer(decision):
    view = decision.view
    if view.round == 2 and HOW != "play" and not DONE.exists():
        DONE.touch()
        print("This is the last that I say.", flush=True)
        if HOW == "end":
            os._exit(3)
        if HOW == "hang":
            time.sleep(1000)
        if HOW == "err":
            return pb.Choice(ticket=decision.ticket, error="no idea")
    return pb.Choice(ticket=decision.ticket, index=view.indices[0])

hello = pb.Hello(games=["lama"], protocol=1, max_in_flight=16, notices=True)
said = queue.Queue()
said.put(pb.BotMessage(hello=hello))
with grpc.insecure_channel(os.environ["ARENA_URL"]) as channel:
    connect = channel.stream_stream(
        "/arena.v1.Play/Connect", pb.BotMessage.SerializeToString, pb.ArenaMessage.FromString
    )
    token = os.environ["ARENA_TOKEN"]
    for message in connect(iter(said.get, None), metadata=(("authorization", f"Bearer {token}"),)):
        decisions = message.batch.decisions
        if len(decisions) > most:
            most = len(decisions)
            MOST.write_text(str(most))
        if decisions:
            said.put(pb.BotMessage(choices=pb.Choices(choices=map(answer, decisions))))
"""
FIRST = """
from arena.sdk import Bot

class First(Bot):
    def choose(self, view):
        return view.actions[0]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "other.py").write_text(PROGRAM)
    (tmp_path / "first.py").write_text(FIRST)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def program(how: str) -> str:
    return shlex.join([sys.executable, "other.py", how])


def told(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> dict[str, Any]:
    capsys.readouterr()
    assert run("play", [*words, "--json"]) == status
    said = json.loads(capsys.readouterr().out)
    assert isinstance(said, dict)
    return said


def rounds(file: Path) -> dict[str, list[Any]]:
    """What was played, by match."""
    found = {}
    for line in file.read_text().splitlines():
        record = json.loads(line)
        for round_ in record["rounds"]:
            for move in round_["moves"]:
                move.pop("latency_us", None)
        found[record["id"]] = record["rounds"]
    return found


def test_a_program_plays_as_a_bot_in_python_does_in_several_matches_at_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["sharp", "--deals", "3", "--seed", "4", "--out"]
    said = told(capsys, program("play"), *words, "one.jsonl", "--jobs", "1")
    told(capsys, program("play"), *words, "two.jsonl", "--jobs", "2")
    told(capsys, "first.py", *words, "python.jsonl", "--jobs", "1")

    assert said["faults"] == []
    assert [each["player"] for each in said["results"]] == ["other", "sharp"]
    assert rounds(folder / "one.jsonl") == rounds(folder / "two.jsonl")
    assert rounds(folder / "one.jsonl") == rounds(folder / "python.jsonl")
    assert int((folder / "most").read_text()) == 3


@pytest.mark.parametrize(
    ("how", "kind", "reason"),
    [
        ("end", "disconnect", "The program ended with status 3."),
        ("hang", "timeout", "No answer within 5 s. The bot's process was ended."),
        ("err", "error", "no idea"),
    ],
)
def test_a_program_that_fails_is_charged_and_plays_on(
    how: str, kind: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    limit = ["--move-time", "3000"] if how == "hang" else []
    said = told(capsys, program(how), "sharp", "--deals", "1", "--seed", "4", "--jobs", "1", *limit)

    [fault] = said["faults"]
    assert (fault["kind"], fault["reason"], fault["count"]) == (kind, reason, 1)
    assert "This is the last that I say." in fault["traceback"]
    assert "--step" not in fault["debug"]
    assert (said["deals"], said["stopped"]) == (1, "")


def test_a_decision_that_a_program_does_not_fail_at_again_is_no_fault(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = told(capsys, program("end"), "sharp", "--deals", "3", "--seed", "4", "--jobs", "1")
    assert (said["deals"], said["faults"]) == (3, [])


def test_a_sequential_test_takes_programs(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--max-deals", "2", "--seed", "1", "--jobs", "1"]
    said = told(capsys, "--versus", "first.py", program("play"), *words)
    assert (said["baseline"], said["candidate"], said["elo"]["mean"]) == ("first", "other", 0)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["no-such-program --fast"], "^no-such-program cannot be started. There is no such comm"),
        (["./nowhere"], "^./nowhere cannot be started. There is no such file."),
        (["./first.py --x"], "^./first.py cannot be started. It is not executable. Run `chmod "),
        (['node "x'], "is not a command: No closing quotation"),
        (["sh -c 'echo no luck >&2; exit 4'"], "ended with status 4 before it conn.*\n.*no luck"),
        (["sleep 100", "--start-time", "1"], "did not connect within 1 s. It must .* ARENA_URL"),
        ([program("play"), "--game", "dice"], r"other does not play dice. .* games = \('lama',\)"),
        ([program("play"), "--sandbox"], "--sandbox only runs Python files, and .* is a command"),
    ],
)
def test_a_program_that_cannot_play_says_why(words: list[str], sentence: str) -> None:
    with pytest.raises(InvalidRequest, match=sentence):
        run("play", [words[0], "sharp", "--jobs", "1", *words[1:]])


def test_selfplay_takes_no_programs() -> None:
    with pytest.raises(InvalidRequest, match="is a command. .* only house bots and Python bots"):
        run("selfplay", [program("play"), "sharp", "--out", "x"])


def test_a_program_is_asked_again_with_its_answer_time_and_output(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [fault] = told(capsys, program("end"), "sharp", "--deals", "1", "--seed", "4")["faults"]
    words = shlex.split(fault["debug"])[2:]

    assert run("debug", words) == 0
    text = capsys.readouterr().out
    assert "recorded: " in text
    assert "a fault (disconnect)" in text
    assert "Time: " in text
    assert "No output." in text
    assert "which is one of its actions." in text

    os.remove("done")
    assert run("debug", words) == 1
    text = capsys.readouterr().out
    assert "Fault: The program ended with status 3." in text
    assert "    This is the last that I say." in text
    with pytest.raises(InvalidRequest, match="--step needs a bot in Python"):
        run("debug", [*words, "--step"])
