"""`arena play`: bots in files, in processes of their own, without an arena."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.base.errors import ArenaError, BotDied, InvalidRequest, Unavailable
from arena.games.record import verify
from arena.kit.commands import run
from arena.kit.play import sandboxed
from tests.made_uploads import wheel
from tests.package_index import lock_line

FIRST = """
from arena.sdk import Bot

class First(Bot):
    def choose(self, view):
        return view.actions[0]
"""
MOODY = """
import random
from arena.sdk import Bot

class Moody(Bot):
    def __init__(self):
        self.mood = random.random()

    def on_match_started(self, started):
        self.mood = (self.mood + random.random()) / 2

    def choose(self, view):
        if random.random() < self.mood:
            return view.actions[0]
        return random.choice(list(set(view.actions)))
"""
WRONG = FIRST.replace("    def choose", "    max_in_flight = 8.0\n    def choose").replace(
    "First", "Wrong"
)
FAULTY = """
from arena.sdk import Bot

class Faulty(Bot):
    def choose(self, view):
        if view.round == 2:
            return self.divide(view.number)
        if view.round == 4:
            return "play 77"
        return view.actions[0]

    def divide(self, number):
        return number / 0
"""
DYING = """
import os
from arena.sdk import Bot

class Dying(Bot):
    def choose(self, view):
        if view.round == 2:
            os._exit(7)
        return view.actions[0]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An author's folder, in which they stand."""
    for name in ("first", "moody", "wrong", "faulty", "dying"):
        (tmp_path / f"{name}.py").write_text(globals()[name.upper()])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def play(words: str) -> int:
    """In one process if the words give no number, because each imports everything."""
    return run("play", ["--jobs", "1", *shlex.split(words)])


def played(capsys: pytest.CaptureFixture[str], words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert play(f"{words} --json") == 0
    told = json.loads(capsys.readouterr().out)
    assert isinstance(told, dict)
    return told


def records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def without_times(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    for record in found:
        for round_ in record["rounds"]:
            for move in round_["moves"]:
                move.pop("latency_us", None)
    return list(found)


# Results


def test_win_rates_and_differences(capsys: pytest.CaptureFixture[str]) -> None:
    told = played(capsys, "first.py sharp timid --deals 12 --seed 1")

    assert (told["game"], told["seats"], told["deals"], told["matches"]) == ("lama", 3, 12, 36)
    rates = {each["player"]: each["win_rate"]["mean"] for each in told["results"]}
    assert sum(rates.values()) == pytest.approx(1)
    assert rates["sharp"] > rates["first"]
    assert all(each["matches"] == 36 for each in told["results"])
    [pair] = [d for d in told["differences"] if {d["player"], d["other"]} == {"first", "sharp"}]
    assert pair["win_rate"]["mean"] == pytest.approx(rates["first"] - rates["sharp"])
    assert pair["win_rate"]["plus_minus"] > 0
    assert told["faults"] == []


def test_report_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert play("first.py --seats 2 sharp --deals 20 --seed 1") == 0
    text = capsys.readouterr().out
    assert "lama, 2 seats: 20 deals, 40 matches" in text
    assert "repeat with --seed 1" in text
    assert "sharp - first" in text
    assert "sharp wins more" in text
    assert "\x1b" not in text


def test_records_verify_and_are_the_same_with_any_number_of_processes(folder: Path) -> None:
    for jobs in (1, 3):
        assert (
            play(f"moody.py moody.py sharp --deals 6 --seed 4 --jobs {jobs} --out {jobs}.jsonl")
            == 0
        )

    found = records(folder / "1.jsonl")
    assert len(found) == 18
    for record in found:
        verify(record)
    assert {seat["bot"] for seat in found[0]["seats"]} == {"moody", "moody-2", "sharp"}
    assert without_times(found) == without_times(records(folder / "3.jsonl"))


def test_two_versions_may_have_modules_of_one_name(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for version, place in (("old", 0), ("new", -1)):
        (folder / version).mkdir()
        (folder / version / "mine.py").write_text(
            "from arena.sdk import Bot\n"
            "import strategy\n"
            "class Mine(Bot):\n"
            "    def choose(self, view):\n"
            "        import late\n"
            "        assert strategy.PLACE == late.PLACE, (strategy.PLACE, late.PLACE)\n"
            "        assert strategy.VERSION in __file__\n"
            "        return view.actions[late.PLACE]\n"
        )
        for name in ("strategy", "late"):
            (folder / version / f"{name}.py").write_text(
                f"PLACE = {place}\nVERSION = '{version}'\n"
            )

    told = played(capsys, "old/mine.py new/mine.py --deals 4")

    assert told["faults"] == []
    assert [each["player"] for each in told["results"]] == ["old-mine", "new-mine"]


def test_output_of_bots_is_separate_from_results(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "loud.py").write_text(FIRST.replace("return", "print('I am here'); return"))
    assert play("loud.py sharp --deals 1 --json") == 0
    text = capfd.readouterr()
    json.loads(text.out)
    assert "I am here" in text.err


# Faults


def test_each_fault_is_told_once_with_traceback_view_and_what_to_type(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play("faulty.py sharp --deals 10 --seed 2") == 0
    text = capsys.readouterr().out

    assert text.count("ZeroDivisionError: division by zero\n  Traceback") == 1
    assert 'faulty.py", line 13, in divide' in text
    assert "arena/sdk" not in text  # what called it is not the author's
    assert "round 2, turn" in text
    command, *_ = [line.strip() for line in text.splitlines() if "arena debug" in line]
    match = shlex.split(command)[shlex.split(command).index("--match") + 1]
    assert match in [record["id"] for record in records(folder / "play-faults.jsonl")]


def test_the_command_shows_the_same_fault_again(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "mine.py").write_text(
        "import random\nfrom arena.sdk import Bot\n\nclass Mine(Bot):\n"
        "    def on_match_started(self, started):\n        self.mood = random.random()\n"
        "    def choose(self, view):\n"
        "        if view.round == 2:\n            raise ValueError(self.mood, random.random())\n"
        "        return view.actions[0]\n"
    )
    [fault] = played(capsys, "mine.py sharp --deals 3 --seed 2")["faults"]
    assert "ValueError: (0." in fault["reason"]

    assert run("debug", [*shlex.split(fault["debug"])[2:], "--no-debugger"]) == 1
    text = capsys.readouterr().out
    assert fault["view"] in text
    assert fault["traceback"] in text


def test_faults_are_charged_as_in_an_arena(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "faulty.py").write_text(FAULTY.replace("view.round == 2", "view.round"))
    told = played(capsys, "faulty.py first.py --deals 4 --seed 2 --out all.jsonl")
    results = {each["player"]: each for each in told["results"]}
    found = records(folder / "all.jsonl")
    moves = [move for record in found for round_ in record["rounds"] for move in round_["moves"]]
    assert results["faulty"]["faults"] == sum("fault" in move for move in moves)
    forfeited = sum("error" in record["result"]["faults"] for record in found)
    assert results["faulty"]["forfeits"] == forfeited > 0
    assert results["first"]["faults"] == 0
    assert [fault["kind"] for fault in told["faults"]] == ["error"]
    assert "all.jsonl" in told["faults"][0]["debug"]


def test_a_slow_answer_is_a_timeout(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "slow.py").write_text(FIRST.replace("return", "sum(range(400_000)); return"))
    told = played(capsys, "slow.py sharp --deals 1 --move-time 1")
    assert {fault["kind"] for fault in told["faults"]} == {"timeout"}
    assert "over 1 ms" in told["faults"][0]["reason"]


def test_an_exception_in_a_hook_is_told_and_is_no_fault(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "hooked.py").write_text(
        FIRST + "    def on_round_ended(self, ended):\n        raise KeyError(ended.round)\n"
    )
    told = played(capsys, "hooked.py sharp --deals 1")
    assert [fault["kind"] for fault in told["faults"]] == [None]
    assert "on_round_ended raised KeyError" in told["faults"][0]["reason"]
    assert told["results"][0]["faults"] == 0


def test_a_bot_that_ends_its_process_is_named_with_the_deal(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(
        BotDied,
        match=r"^The process of dying ended with status 7 in match \w+ \(deal \d+, seed \w{32}\)",
    ):
        play("dying.py sharp --deals 5 --seed 1")
    assert "Traceback" not in capfd.readouterr().err


def test_the_match_in_which_a_bot_ended_its_process_can_be_looked_into(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "dying.py").write_text(
        "import sys\nfrom arena.sdk import Bot\n\nclass Dying(Bot):\n    def choose(self, view):\n"
        "        if view.round == 3:\n            sys.exit(7)\n"
        "        return 'play 77' if view.round == 1 else view.actions[0]\n"
    )
    with pytest.raises(BotDied, match="To debug it: arena debug") as died:
        play("dying.py sharp faulty.py --seed 1")
    program, name, *words = shlex.split(str(died.value).partition("To debug it: ")[2])

    assert (program, name, words[-1]) == ("arena", "debug", "--step")
    assert run("debug", [*words[:-1], "--no-debugger"]) == 1
    text = capsys.readouterr().out
    assert "round 3, turn" in text
    assert "SystemExit: 7" in text


def test_a_bot_that_ends_its_process_when_loaded(folder: Path) -> None:
    (folder / "gone.py").write_text("import os\nos._exit(3)\n")
    with pytest.raises(BotDied, match="The process .* while loading one of gone, sharp"):
        play("gone.py sharp")


def test_a_bot_that_prepares_itself_does_so_once_in_each_process(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "ready.py").write_text(
        "from pathlib import Path\n" + FIRST + "    async def prepare(self):\n"
        "        with Path('prepared.txt').open('a') as file:\n            file.write('once ')\n"
        "        self.place = 0\n"
    )
    told = played(capsys, "ready.py sharp --deals 5")
    assert told["faults"] == []
    assert (folder / "prepared.txt").read_text() == "once "


def test_a_bot_that_cannot_prepare_itself_is_shown_to_its_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "unready.py").write_text(FIRST + "    def prepare(self):\n        return 1 / 0\n")
    with pytest.raises(InvalidRequest, match="unready failed in prepare. ZeroDivisionError"):
        play("unready.py sharp --deals 5")
    assert 'unready.py", line 8, in prepare' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "sentence", "shown"),
    [
        ("        return 1 / 0", "needs failed in __init__. ZeroDivisionError", "in __init__"),
        (
            "        self.place = 0",
            "needs must be a class that can be created without",
            "TypeError",
        ),
    ],
)
def test_a_bot_that_cannot_be_made_is_told_why(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, sentence: str, shown: str
) -> None:
    more = ", place" if "place" in text else ""
    (folder / "needs.py").write_text(f"{FIRST}    def __init__(self{more}):\n{text}\n")
    with pytest.raises(InvalidRequest, match=sentence):
        play("needs.py sharp --deals 5")
    printed = capsys.readouterr().err
    assert shown in printed
    assert "arena/kit" not in printed


def test_a_syntax_error_is_shown_without_the_code_that_loads_the_bot(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "typo.py").write_text("from arena.sdk import Bot\nclass Typo(Bot)\n")
    with pytest.raises(InvalidRequest, match="SyntaxError"):
        play("typo.py sharp")
    printed = capsys.readouterr().err
    assert 'typo.py", line 2' in printed
    assert "arena/sdk" not in printed


def test_a_machine_without_a_sandbox_is_told_in_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> None:
        raise Unavailable("No sandbox works.")

    monkeypatch.setattr("arena.kit.play.sandboxed.find_sandbox", fails)
    sandboxed._sandbox.cache_clear()
    with pytest.raises(InvalidRequest, match=r"--sandbox does not work.* leave out --sandbox"):
        sandboxed._sandbox()


def test_an_import_that_fails_is_shown_to_its_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "broken.py").write_text("from arena.sdk import Bot\nimport no_such_module\n")
    with pytest.raises(InvalidRequest, match="No module named 'no_such_module'"):
        play("broken.py sharp")
    assert 'broken.py", line 2' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("first.py", "Too few players"),
        ("first.py shrap", "no house bot shrap"),
        ("first.py nowhere.py", "no file nowhere.py"),
        ("first.py:Second sharp", "has no bot Second"),
        ("first.py sharp --game dice", "first does not play dice"),
        ("wrong.py sharp", "Wrong.max_in_flight is 8.0. It must be a whole number"),
        ("first.py sharp --seats 3", "3 seats, but only 2 bots"),
        ("sharp five --seats 7", "2 to 6 seats"),
        ("sharp five --game chess", "no game 'chess'"),
        ("sharp five --option size", "NAME=VALUE"),
        ("sharp five --option size=2", 'no option "size"'),
        ("sharp five --seed -1", "The seed is -1"),
        ("sharp five --elo1 5", "--elo1 only works with --versus"),
        ("--versus sharp five --deals 5", "Use --max-deals instead"),
        ("--versus sharp five --elo0 30", "Choose elo0 below elo1"),
        ("sharp five --deals 1 --out nowhere/all.jsonl", "cannot be written"),
    ],
)
def test_bad_input_gets_a_sentence(words: str, sentence: str) -> None:
    with pytest.raises(ArenaError, match=sentence) as refused:
        play(words)
    assert str(refused.value).endswith(".")


# The sequential test


def test_a_better_version_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    assert play("--versus timid sharp --seed 3 --elo1 100") == 0
    text = capsys.readouterr().out
    assert text.startswith("Accepted, sharp is better than timid")
    assert "at most 5% of candidates 0 Elo better pass" in text
    assert " ± " in text


def test_a_worse_version_is_rejected_and_all_is_told_to_programs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = played(capsys, "--versus sharp first.py --seed 3 --elo1 100 five")
    assert (told["state"], told["candidate"], told["baseline"]) == ("rejected", "first", "sharp")
    assert told["elo"]["mean"] < 0
    assert told["evidence"]["not_better"] >= told["bounds"]["not_better"]


def test_the_same_version_twice_is_indistinguishable(capsys: pytest.CaptureFixture[str]) -> None:
    told = played(capsys, "--versus first.py first.py --seed 3 --elo1 100")
    assert told["state"] == "indistinguishable"
    assert told["elo"]["mean"] == 0


def test_a_test_ends_undecided_when_its_deals_are_used_up(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    assert play("--versus sharp careful --max-deals 5 --seed 3 --out all.jsonl") == 0
    assert "Undecided: the deals are used up" in capsys.readouterr().out
    assert len(records(folder / "all.jsonl")) == 10


# Ctrl-C


def test_ctrl_c_ends_all_processes_and_names_deciding_bots(folder: Path) -> None:
    (folder / "endless.py").write_text(
        FIRST.replace(
            "return", "print('thinking', flush=True)\n        while True: pass\n        return"
        )
    )
    command = "from arena.kit.main import leave; from arena.kit.commands import run; "
    command += "leave(lambda: run('play', ['endless.py', 'sharp', '--jobs', '1']))"
    playing = subprocess.Popen(
        [sys.executable, "-c", command],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert playing.stderr is not None
    assert "thinking" in playing.stderr.readline()
    os.killpg(playing.pid, signal.SIGINT)
    # It ends when nobody holds its pipes: so none of its processes is left.
    out, err = playing.communicate(timeout=30)

    assert playing.returncode == 130
    assert "0 deals" in out
    assert "Waiting for endless." in err


# In a sandbox


@pytest.fixture
def sandbox_folder(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One that bots in sandboxes may look into."""
    for name in ("first", "dying"):
        (open_folder / f"{name}.py").write_text(globals()[name.upper()])
    monkeypatch.chdir(open_folder)
    return open_folder


def test_in_a_sandbox_a_bot_plays_as_it_does_outside(
    sandbox_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "first.py sharp --deals 4 --seed 2"
    inside, outside = played(capsys, f"{words} --sandbox"), played(capsys, words)
    of_first = ("wins", "points", "faults")
    for side in (inside, outside):
        assert side["results"][0]["faults"] == side["results"][1]["faults"] == 0
    assert [
        {key: value for key, value in each.items() if key in of_first} for each in inside["results"]
    ] == [
        {key: value for key, value in each.items() if key in of_first}
        for each in outside["results"]
    ]


def test_bot_that_dies_in_a_sandbox_is_charged_as_in_the_arena(
    sandbox_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = played(capsys, "dying.py sharp --deals 1 --sandbox")
    [fault] = told["faults"]
    assert (fault["kind"], fault["reason"]) == ("error", "The process ended with status 7.")


def test_sandbox_limits_and_timeouts_are_reported(
    sandbox_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (sandbox_folder / "calling.py").write_text(
        FIRST.replace("return", "import socket; print('hm'); socket.socket(); return")
    )
    (sandbox_folder / "slow.py").write_text(
        FIRST.replace("return", "sum(range(9_000_000)); return")
    )
    assert (
        play("calling.py slow.py --deals 1 --sandbox --move-time 20 --json --option max_rounds=1")
        == 0
    )
    out, err = capfd.readouterr()
    reasons = {fault["kind"]: fault["reason"] for fault in json.loads(out)["faults"]}
    assert "PermissionError" in reasons["error"]
    assert reasons["timeout"].endswith("The limit is 0.02 s.")
    assert "hm\n" in err


def test_last_output_of_a_sandboxed_bot_is_shown(
    sandbox_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    slow = (
        "    def on_match_ended(self, ended):\n        import time; time.sleep(0.3); print('bye')\n"
    )
    (sandbox_folder / "polite.py").write_text(f"{FIRST}\n{slow}")
    assert play("polite.py sharp --deals 1 --sandbox --json --option max_rounds=1") == 0
    assert capfd.readouterr().err.count("bye\n") == 2


def test_in_a_sandbox_a_bot_has_the_packages_that_it_brings_along(
    sandbox_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = sandbox_folder / "packed"
    (home / "wheels").mkdir(parents=True)
    (home / "bot.toml").write_text('entry = "bot.py"\n')
    (home / "bot.py").write_text(f"import deep\n{FIRST}")
    (home / "wheels/deep-1.0-py3-none-any.whl").write_bytes(wheel("deep", {"deep.py": ""}))
    words = "packed/bot.py sharp --deals 1 --sandbox"
    assert played(capsys, words)["faults"] == []

    monkeypatch.delenv("ARENA_HOST_INDEX", raising=False)
    (home / "requirements.lock").write_text(lock_line("deep", b"x"))
    with pytest.raises(InvalidRequest, match="requirements.lock needs packages from an index, and"):
        play(words)


def test_bot_that_does_not_start_in_a_sandbox_is_refused(sandbox_folder: Path) -> None:
    (sandbox_folder / "none.py").write_text("import no_such_module")
    with pytest.raises(InvalidRequest, match="none does not start in the sandbox.*no_such_module"):
        play("none.py sharp --deals 1 --sandbox")
    with pytest.raises(InvalidRequest, match="is a module. Name its file"):
        play("json:First sharp --deals 1 --sandbox")
