"""`arena selfplay` in its processes: equal seeds give equal files, and bots that fail are named."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyarrow import parquet

from arena.base.errors import BotDied, InvalidRequest
from arena.kit import commands

BOT = """
import random
from arena.sdk import Bot

class Drawing(Bot):
    def choose(self, view):
        return random.choice(list(set(view.actions)))  # the order of a set of texts
"""


def selfplay(file: Path, *words: str) -> bytes:
    assert commands.run("selfplay", [*words, "--out", str(file)]) == 0
    return file.read_bytes()


@pytest.fixture
def drawing(tmp_path: Path) -> str:
    file = tmp_path / "drawing.py"
    file.write_text(BOT)
    return str(file)


def test_equal_seeds_give_equal_files_in_however_many_processes(
    tmp_path: Path,
    drawing: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("arena.kit.selfplay.playing.PORTION", 5)
    words = (drawing, "five", "--seats", "3", "--matches", "12", "--seed", "7")
    one = selfplay(tmp_path / "one.parquet", *words, "--jobs", "1")
    two = selfplay(tmp_path / "two.parquet", *words, "--jobs", "2")
    other = selfplay(tmp_path / "three.parquet", *words[:-1], "8", "--jobs", "2")

    assert one == two != other
    table = parquet.read_table(tmp_path / "one.parquet").to_pydict()
    assert sorted(set(table["match"])) == list(range(12))
    assert table["match"] == sorted(table["match"])
    assert set(table["bot"]) == {"drawing", "five"}
    assert {
        (m % 3, s, b) for m, s, b in zip(table["match"], table["seat"], table["bot"], strict=True)
    } == {
        (turn, seat, ("drawing", "five")[(seat + turn) % 3 % 2])
        for turn in range(3)
        for seat in range(3)
    }
    assert "decisions of 12 matches at 3 seats; repeat with --seed 7." in capsys.readouterr().out


def test_faults_are_counted_with_the_first_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = tmp_path / "bad.py"
    bot.write_text(BOT.replace("return random", "1 / 0 if view.number < 3 else 0; return random"))
    selfplay(tmp_path / "f.parquet", str(bot), "--matches", "2", "--seed", "1", "--jobs", "1")
    assert "bad had 4 faults, which are not written: ZeroDivisionError:" in capsys.readouterr().out


def test_a_bot_that_ends_its_process_or_cannot_be_loaded_is_an_error(tmp_path: Path) -> None:
    deadly, wrong = tmp_path / "deadly.py", tmp_path / "wrong.py"
    deadly.write_text(BOT.replace("return random", "import os; os._exit(3); return random"))
    wrong.write_text("raise RuntimeError('no weights')")
    with pytest.raises(BotDied, match="ended its process"):
        selfplay(tmp_path / "f.parquet", str(deadly), "--matches", "1", "--jobs", "1")
    with pytest.raises(InvalidRequest, match="wrong.py fails: RuntimeError: no weights"):
        selfplay(tmp_path / "f.parquet", str(wrong), "--matches", "1", "--jobs", "1")
    assert {file.suffix for file in tmp_path.iterdir() if file.is_file()} == {".py"}


def test_ctrl_c_ends_it_soon_and_leaves_no_file(tmp_path: Path, drawing: str) -> None:
    words = ["selfplay", drawing, "--matches", "1000000", "--jobs", "1"]
    command = [sys.executable, "-m", "arena.kit", *words, "--out", str(tmp_path / "f.parquet")]
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL) as process:
        part, deadline = tmp_path / "f.parquet.part", time.monotonic() + 60
        while not part.exists() or part.stat().st_size < 1000:  # it has begun to write
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["drawing.py"]
