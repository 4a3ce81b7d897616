"""`arena debug`: a decision that went wrong, once more, under the debugger."""

import io
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from arena.base.errors import ArenaError
from arena.bots import HOUSE
from arena.games.record import RecordError, export
from arena.kit.commands import run
from arena.kit.records import records_in
from arena.sdk import Bot, View, play
from arena.sdk.recorded import replayed

BOT = """
from arena.sdk import Bot

class Mine(Bot):
    def __init__(self):
        self.rounds = 0
        self.asked = 0

    def on_round_ended(self, ended):
        self.rounds += 1

    def choose(self, view):
        self.asked += 1
        if self.rounds >= 2:
            remembered = self.asked
            return 1 / (self.rounds // 99)
        if view.round == 2:
            return "play 77"
        return view.actions[0]
"""


class Failing(Bot):
    """Fails where the bot in the file does."""

    def choose(self, view: View) -> str:
        if view.round >= 3:
            raise ValueError
        if view.round == 2:
            return "play 77"
        return view.actions[0]

    def on_fault(self, fault: object) -> None:
        """Silent."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An author's folder, with a bot and the record of a match in which it failed."""
    (tmp_path / "mine.py").write_text(BOT)
    match = play([Failing(), HOUSE["sharp"]()], seed=0, match="m1")
    (tmp_path / "played.jsonl").write_text(json.dumps(match) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def faults() -> dict[str, int]:
    """By kind, the first decision with such a fault."""
    [record] = records_in(Path("played.jsonl"))
    moves = [move for round_ in record["rounds"] for move in round_["moves"]]
    found: dict[str, int] = {}
    for number, move in enumerate(moves, 1):
        found.setdefault(move.get("fault", ""), number)
    assert {"error", "illegal"} <= found.keys()
    return found


def debug(words: str, monkeypatch: pytest.MonkeyPatch, typed: str = "") -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    return run("debug", shlex.split(words))


def test_the_debugger_opens_where_the_bot_raised(
    faults: dict[str, int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = f"played.jsonl --match m1 --decision {faults['error']} --bot mine.py"
    assert debug(words, monkeypatch, "p 'asked', remembered\nq\n") == 1
    text = capsys.readouterr().out
    assert "recorded: " in text
    assert "a fault (error)" in text
    assert 'mine.py", line 16, in choose' in text
    # It remembers what it had been asked before in the match.
    remembered = int(text.partition("('asked', ")[2].partition(")")[0])
    [record] = records_in(Path("played.jsonl"))
    moves = [move for round_ in record["rounds"] for move in round_["moves"]]
    asked = [m for m in moves[: faults["error"]] if m["seat"] == 0 and "latency_us" in m]
    assert remembered == len(asked) > 3


def test_alone_it_gets_that_decision_only(
    faults: dict[str, int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = f"played.jsonl --decision {faults['error']} --bot mine.py --alone --step"
    debug(words, monkeypatch, "n\np 'asked', self.asked\nq\n")
    assert "('asked', 1)" in capsys.readouterr().out


def test_without_a_debugger_the_traceback_is_printed(
    faults: dict[str, int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = f"played.jsonl --decision {faults['error']} --bot mine.py --no-debugger"
    assert debug(words, monkeypatch) == 1
    text = capsys.readouterr().out
    assert text.rstrip().endswith("ZeroDivisionError: division by zero")
    assert "arena/sdk" not in text


def test_the_first_fault_is_asked_for_if_nothing_is_said(
    faults: dict[str, int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert debug("played.jsonl --bot mine.py --no-debugger", monkeypatch) == 1
    assert "Mine answers 'play 77', which is not one of its actions." in capsys.readouterr().out


def test_step_stops_at_the_first_line(
    faults: dict[str, int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = f"played.jsonl --decision {faults['illegal']} --bot mine.py --step"
    assert debug(words, monkeypatch, "p view.number\nc\n") == 1
    text = capsys.readouterr().out
    assert "-> self.asked += 1" in text
    assert f"(Pdb) {faults['illegal']}" in text


def test_step_goes_into_async_bots(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "waiting.py").write_text(
        "import asyncio\n"
        "from arena.sdk import Bot\n"
        "class Waiting(Bot):\n"
        "    async def choose(self, view):\n"
        "        place = 0\n"
        "        await asyncio.sleep(0)\n"
        "        return view.indices[place]\n"
    )
    words = "played.jsonl --bot waiting.py --step --alone"
    assert debug(words, monkeypatch, "n\np 'place', place\nc\nc\n") == 0
    text = capsys.readouterr().out
    assert "('place', 0)" in text
    assert "which is one of its actions" in text
    assert "This time it does not fail" in text


def test_step_goes_into_bots_that_answer_many_decisions_at_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "many.py").write_text(
        "from arena.sdk import Bot\n"
        "class Many(Bot):\n"
        "    def choose_batch(self, decisions):\n"
        "        count = len(decisions)\n"
        "        return [decisions[0].indices[0]] * count\n"
    )
    assert debug("played.jsonl --bot many.py --step", monkeypatch, "n\np 'count', count\nc\n") == 0
    assert "('count', 1)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("nowhere.jsonl --bot mine.py", "nowhere.jsonl cannot be read"),
        ("mine.py --bot mine.py", "mine.py, line 2: The record is not valid JSON"),
        ("played.jsonl --match m2 --bot mine.py", "has no match m2"),
        ("played.jsonl --match m1", "Failing is not a house bot"),
        ("played.jsonl --decision 9999 --bot mine.py", "There is no decision 9999"),
        ("played.jsonl --bot sharpp", "no house bot sharpp"),
    ],
)
def test_bad_input_gets_a_sentence(
    words: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ArenaError, match=sentence):
        debug(words, monkeypatch)


# Records


def change(folder: Path, **changed: Any) -> Path:
    record = json.loads((folder / "played.jsonl").read_text())
    file = folder / "changed.jsonl"
    file.write_text(json.dumps({**record, **changed}))
    return file


def test_a_record_of_a_newer_format_is_refused(folder: Path) -> None:
    file = change(folder, format="lama-arena/match/2")
    with pytest.raises(RecordError, match="line 1: The record has .*Install a newer lama-arena"):
        list(records_in(file))


def test_a_record_that_does_not_follow_is_refused(folder: Path) -> None:
    [record] = records_in(change(folder, seed="11" * 16))
    with pytest.raises(RecordError):
        replayed(record)


def test_a_record_with_pieces_missing_is_refused(folder: Path) -> None:
    [record] = records_in(change(folder, seats=[{}, {}]))
    with pytest.raises(RecordError, match="incomplete or malformed"):
        replayed(record)


def test_a_record_is_played_again_with_its_faults_and_forfeits(folder: Path) -> None:
    [record] = records_in(folder / "played.jsonl")
    assert record["result"]["faults"][0] is not None  # or it would say nothing of forfeits
    assert export(replayed(record)) == record
