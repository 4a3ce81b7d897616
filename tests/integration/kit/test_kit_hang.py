"""`arena play` and `arena debug` with bots in Python that do not come back."""

import io
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from arena.base.errors import BotDied
from arena.kit.commands import run

# It is made anew for each portion, and remembers what it drew before.
MOODY = """
import random, time
from pathlib import Path
from arena.sdk import Bot

class Moody(Bot):
    mood = 0.0

    def choose(self, view):
        self.mood = (self.mood + random.random()) / 2
        return view.actions[0] if random.random() < self.mood else view.actions[-1]

class Hanging(Moody):
    def choose(self, view):
        if view.round == 2 and not Path("hung").exists():
            Path("hung").touch()
            time.sleep(1000)
        return super().choose(view)

class AlwaysHanging(Moody):
    def choose(self, view):
        time.sleep(1000)

class HangingHook(Moody):
    def on_match_started(self, started):
        time.sleep(1000)

class HangingStart(Moody):
    def __init__(self):
        time.sleep(1000)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "moody.py").write_text(MOODY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, which ends the others."""
    monkeypatch.setattr("arena.kit.play.job.MARGIN_S", 0.5)


def played(folder: Path, *words: str) -> list[dict[str, Any]]:
    """The records, without times."""
    assert run("play", ["moody.py:Hanging", "moody.py:Moody", "--seed", "3", *words]) == 0
    found = [json.loads(line) for line in (folder / "all.jsonl").read_text().splitlines()]
    for record in found:
        for round_ in record["rounds"]:
            for move in round_["moves"]:
                move.pop("latency_us", None)
    return found


def moves(record: dict[str, Any]) -> list[dict[str, Any]]:
    return [move for round_ in record["rounds"] for move in round_["moves"]]


@pytest.mark.usefixtures("impatient")
def test_a_decision_without_answer_is_a_timeout_and_everything_else_is_played_as_it_is_without(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--deals", "2", "--move-time", "3000", "--jobs", "1", "--out", "all.jsonl"]
    hung = played(folder, *words)
    said = capsys.readouterr()
    alike = played(folder, *words)  # now it does not hang

    [record] = [each for each in hung if any("fault" in move for move in moves(each))]
    number = next(at for at, move in enumerate(moves(record), 1) if "fault" in move)
    assert moves(record)[number - 1]["fault"] == "timeout"
    [same] = [each for each in alike if each["id"] == record["id"]]
    assert moves(record)[: number - 1] == moves(same)[: number - 1]
    others = [each for each in hung if each is not record]
    assert others == [each for each in alike if each is not same]
    assert f"Hanging, match {record['id']}, decision {number}: No answer within" in said.err
    assert "Hanging: fault (timeout), once in 1 match. No answer within 5 s." in said.out
    assert f"--match {record['id']} --decision {number} --bot moody.py:Hanging\n" in said.out


@pytest.mark.usefixtures("impatient")
def test_a_bot_that_hangs_again_and_again_forfeits_and_then_stops_the_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.kit.play.fault_log.MOST_UNANSWERED", 3)
    words = ["moody.py:AlwaysHanging", "sharp", "--move-time", "1000", "--jobs", "1", "--seed", "1"]
    assert run("play", [*words, "--json"]) == 2
    said = capsys.readouterr()
    told = json.loads(said.out)
    [fault] = told["faults"]
    assert (fault["kind"], fault["count"], fault["matches"]) == ("timeout", 3, 1)
    assert "because AlwaysHanging gave no answer" in told["stopped"]
    assert f"Error: {told['stopped']}" in said.err


@pytest.mark.usefixtures("impatient")
def test_a_hook_that_does_not_return_ends_the_run() -> None:
    with pytest.raises(BotDied, match=r"^HangingHook did not return from a hook within 0.6 s in"):
        run("play", ["moody.py:HangingHook", "sharp", "--move-time", "100", "--jobs", "1"])


def test_a_bot_that_is_never_made_ends_the_run() -> None:
    with pytest.raises(BotDied, match="HangingStart, sharp was not loaded and prepared within 1 s"):
        run("play", ["moody.py:HangingStart", "sharp", "--start-time", "1", "--jobs", "1"])


def test_the_debugger_opens_where_a_bot_does_not_come_back(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    played(folder, "--deals", "1", "--jobs", "1", "--out", "all.jsonl", "--option", "max_rounds=1")
    monkeypatch.setattr("sys.stdin", io.StringIO("p 'self', type(self).__name__\nq\n"))
    words = shlex.split("all.jsonl --decision 1 --bot moody.py:AlwaysHanging --move-time 200")
    record = json.loads((folder / "all.jsonl").read_text().splitlines()[0])
    number = next(at for at, move in enumerate(moves(record), 1) if "latency_us" in move)
    words[2] = str(number)

    assert run("debug", [*words, "--match", record["id"]]) == 1
    text = capsys.readouterr().out
    assert "No answer within 0.2 s, at this line" in text
    assert "-> time.sleep(1000)" in text
    assert "('self', 'AlwaysHanging')" in text
