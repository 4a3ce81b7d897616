"""The SDK without a network: running, loading, playing locally."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import arena.sdk
from arena import record
from arena.errors import InvalidRequest
from arena.sdk import Bot, Fault, MatchEnded, MatchStarted, RoundEnded, View, load_bot, play


class First(Bot):
    def choose(self, view: View) -> str:
        return view.actions[0]


class AnyWay(Bot):
    async def choose(self, view: View) -> int:
        return view.rng().choice(view.indices)


def test_the_public_names_are_these() -> None:
    assert set(arena.sdk.__all__) == {
        "Bot",
        "Decisions",
        "Fault",
        "MatchEnded",
        "MatchStarted",
        "RoundEnded",
        "View",
        "load_bot",
        "play",
        "play_async",
    }


# Playing locally


def test_a_local_match_gives_a_record_that_verifies() -> None:
    played = play([First(), AnyWay(), First()], seed=7)
    assert [seat["bot"] for seat in played["seats"]] == ["First", "AnyWay", "First"]
    assert played["result"]["faults"] == [None, None, None]
    record.verify(played)


def test_the_seed_fixes_a_local_match() -> None:
    def without_latencies(played: dict[str, Any]) -> list[Any]:
        return [[move["action"] for move in r["moves"]] for r in played["rounds"]]

    same = [without_latencies(play([First(), AnyWay()], seed=7)) for _ in range(2)]
    assert same[0] == same[1]
    assert same[0] != without_latencies(play([First(), AnyWay()], seed=8))


def test_a_local_fault_is_told_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    class Broken(First):
        def choose(self, view: View) -> str:
            raise ZeroDivisionError("no idea")

    played = play([Broken(), First()], seed=1)
    assert played["result"]["faults"] == ["error", None]
    printed = capsys.readouterr().err
    assert printed.count("ZeroDivisionError: no idea") == 2 * 3  # traceback and report
    assert "The match is forfeited." in printed


def test_a_bot_prepares_itself_once_before_its_first_match() -> None:
    class Slow(First):
        prepared = 0

        def prepare(self) -> None:
            self.prepared += 1

        def choose(self, view: View) -> str:
            assert self.prepared == 1
            return super().choose(view)

    class SlowAsync(Slow):
        async def prepare(self) -> None:  # type: ignore[override]
            self.prepared += 1

    bots = [Slow(), SlowAsync()]
    for seed in range(2):
        assert play(bots, seed=seed)["result"]["faults"] == [None, None]
    assert [bot.prepared for bot in bots] == [1, 1]


def test_a_bot_that_cannot_prepare_itself_does_not_connect(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Broken(First):
        def prepare(self) -> None:
            raise FileNotFoundError("weights.npz")

    with pytest.raises(SystemExit):
        Broken().run(url="127.0.0.1:1", token="lama_x")
    said = capsys.readouterr().err
    assert "Error: The bot's prepare() failed: FileNotFoundError: weights.npz" in said
    assert 'raise FileNotFoundError("weights.npz")' in said, "its author needs the place"


def test_local_hooks_hear_the_whole_match() -> None:
    class Listener(First):
        def __init__(self) -> None:
            self.heard: list[Any] = []

        def on_match_started(self, started: MatchStarted) -> None:
            self.heard.append(started)

        def on_round_ended(self, ended: RoundEnded) -> None:
            self.heard.append(ended)

        def on_match_ended(self, ended: MatchEnded) -> None:
            self.heard.append(ended)

        def on_fault(self, fault: Fault) -> None:
            raise AssertionError(fault)

    listener = Listener()
    played = play([First(), listener], seed=3)
    started, *rounds, ended = listener.heard
    assert (started.seat, started.bots) == (1, ("First", "Listener"))
    assert [told.round for told in rounds] == list(range(1, len(played["rounds"]) + 1))
    assert rounds[-1].points == ended.points == tuple(played["result"]["points"])


# Loading


def write_bot(folder: Path, text: str) -> Path:
    path = folder / "my_own_bot.py"
    path.write_text("from arena.sdk import Bot\n" + text)
    return path


TWO = "class A(Bot):\n    pass\nclass B(Bot):\n    pass\n"


def test_a_bot_is_loaded_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "neighbour_of_bot.py").write_text("GAMES = ('lama',)\n")
    text = "from neighbour_of_bot import GAMES\nclass Mine(Bot):\n    games = GAMES\n"
    path = write_bot(tmp_path, text)
    assert load_bot(f"{path}:Mine").__name__ == "Mine"
    assert load_bot(str(path)).__name__ == "Mine"


def test_a_bot_is_loaded_from_a_module() -> None:
    assert load_bot("tests.unit.test_sdk:First") is not Bot


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nowhere.py:A", "There is no file nowhere.py"),
        ("no_such_module_at_all:A", "There is no module no_such_module_at_all"),
        ("json:A", "json has no bot A; it has no bots at all"),
        ("FILE:C", "has no bot C; its bots are: A, B"),
        ("FILE", "does not have exactly one bot"),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_explained(tmp_path: Path, name: str, sentence: str) -> None:
    path = write_bot(tmp_path, TWO)
    with pytest.raises(InvalidRequest, match=sentence):
        load_bot(name.replace("FILE", str(path)))


def test_a_file_that_fails_says_how(tmp_path: Path) -> None:
    path = write_bot(tmp_path, "1 / 0\n")
    with pytest.raises(InvalidRequest, match="fails: ZeroDivisionError") as caught:
        load_bot(f"{path}:A")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


# Running


@pytest.fixture
def no_arena(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_TOKEN", raising=False)
    monkeypatch.delenv("ARENA_URL", raising=False)


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        (lambda bot: bot.run(), "Error: The bot needs its token: set ARENA_TOKEN"),
        (lambda bot: bot.run("http://x:1", "t"), "'http://x:1' is not the address of a gateway"),
        (lambda bot: bot.run("somewhere", "t"), "'somewhere' is not the address of a gateway"),
    ],
)
@pytest.mark.usefixtures("no_arena")
def test_a_bot_that_cannot_start_says_why_in_one_line(
    run: Callable[[Bot], None], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(First())
    assert ended.value.code == 1
    printed = capsys.readouterr().err
    assert sentence in printed
    assert printed.count("\n") == 1
