"""The SDK without a network: running, loading, playing locally."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arena.sdk
from arena.base import folder
from arena.base.errors import InvalidRequest
from arena.games import record
from arena.games.match import Match, MatchSetup, Seat
from arena.hosting.hosted.inside.match_process import MatchProcess
from arena.protocol.decisions import encode_decision
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk import Bot, Fault, MatchEnded, MatchStarted, RoundEnded, View, client, load_bot, play
from arena.sdk.address import Address, usual_address
from arena.sdk.declared import hello_of


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


def test_local_fault_is_reported_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
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


# Indices


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(lambda view: 1, id="a constant"),
        pytest.param(lambda view: view.actions.index(view.actions[-1]), id="a position"),
        pytest.param(lambda view: int(view.indices[0]), id="a number made from an index"),
        pytest.param(lambda view: np.int64(view.indices[0]), id="a number of NumPy"),
    ],
)
def test_choose_may_return_no_number_that_is_not_from_the_view(
    number: Callable[[View], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    class Numbers(Bot):
        def choose(self, view: View) -> Any:
            return number(view)

    assert play([Numbers(), First()], seed=1)["result"]["faults"] == ["error", None]
    said = capsys.readouterr().err
    assert "which is not an entry of view.indices. Return one of view.actions, or" in said


def test_choose_may_return_an_entry_of_the_indices_however_it_was_found() -> None:
    class Best(Bot):
        def choose(self, view: View) -> int:
            return sorted(view.indices, reverse=True)[-1]

    class Last(Bot):
        async def choose(self, view: View) -> int:
            return dict(zip(view.actions, view.indices, strict=True))[view.actions[-1]]

    assert play([Best(), Last()], seed=1)["result"]["faults"] == [None, None]


def test_a_hosted_bot_may_return_no_other_number_either() -> None:
    class One(Bot):
        def choose(self, view: View) -> int:
            return 1

    class Second(Bot):
        def choose(self, view: View) -> int:
            return view.indices[1]

    match = Match(MatchSetup("m" * 16, "lama", bytes(16), (Seat("a"), Seat("b"))))
    assert match.decision is not None
    decision = pb.Decision.FromString(encode_decision(match.decision, 7, 1000))
    batch = pb.Batch(decisions=[decision])

    [choice] = MatchProcess(One()).choices(batch).choices
    assert "choose returned 1, which is not an entry of view.indices" in choice.error
    assert MatchProcess(Second()).choices(batch).indices == [match.decision.indices[1]]


# Declared attributes


@pytest.mark.parametrize("games", ["dice", ["dice"], ("dice", "dice")])
def test_one_game_may_be_a_text(games: Any) -> None:
    bot = type("Declaring", (First,), {"games": games})()
    assert next(iter(bot.games)) == "dice"
    assert hello_of(bot).games == ["dice"]


def test_one_game_may_be_a_text_of_the_object() -> None:
    bot = First()
    bot.games = "dice"  # type: ignore[misc]
    assert hello_of(bot).games == ["dice"]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"games": ()}, r"Mine.games is \(\). Name at least one game"),
        ({"games": None}, "Mine.games is None. Name at least one game"),
        ({"games": "lama, dice"}, "Mine.games is wrong. There is no game 'lama, dice'"),
        ({"games": ("chess",)}, "Mine.games is wrong. There is no game 'chess'"),
        ({"games": (1,)}, "Mine.games contains 1, which is not the name"),
        ({"max_in_flight": 8.0}, "Mine.max_in_flight is 8.0. It must be a whole number from 1 to"),
        ({"max_in_flight": 0}, "Mine.max_in_flight is 0. It must be"),
        ({"max_in_flight": 5000}, "Mine.max_in_flight is 5000. .* from 1 to 4096"),
        ({"max_matches": -1}, "Mine.max_matches is -1. .* from 0 to"),
        ({"max_seats": 7}, "Mine.max_seats is 7. .* from 2 to 6"),
        ({"min_seats": True}, "Mine.min_seats is True. .* from 2 to 6"),
        ({"min_seats": 4, "max_seats": 3}, "Mine cannot play at any table. Its min_seats is 4"),
    ],
)
def test_a_wrong_declaration_is_named_before_the_bot_connects(
    wrong: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidRequest, match=sentence):
        hello_of(type("Mine", (First,), wrong)())


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
    assert load_bot("tests.unit.sdk.test_sdk:First") is not Bot


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nowhere.py:A", "There is no file nowhere.py"),
        ("no_such_module_at_all:A", "There is no module no_such_module_at_all"),
        ("json:A", "json has no bot. A bot is a class"),
        ("FILE:C", "has no bot C. Its bots are: A, B"),
        ("FILE", "has several bots: A, B. Name one, for example .*:A"),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_explained(tmp_path: Path, name: str, sentence: str) -> None:
    path = write_bot(tmp_path, TWO)
    with pytest.raises(InvalidRequest, match=sentence):
        load_bot(name.replace("FILE", str(path)))


@pytest.mark.parametrize("name", ["mybot.py", "calls_run_when_loaded"])
def test_a_bot_that_is_only_loaded_does_not_connect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("ARENA_TOKEN", "t")
    monkeypatch.chdir(tmp_path)
    path = write_bot(tmp_path, "class Mine(Bot):\n    pass\nMine().run('127.0.0.1:1')\n")
    path.rename(tmp_path / f"{name.removesuffix('.py')}.py")

    with pytest.raises(InvalidRequest, match=rf"{name} calls run\(\) while it is loaded"):
        load_bot(name)

    assert not Bot.loading


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
    ("run", "sentence", "status"),
    [
        (lambda bot: bot.run(), "Error: The bot needs a token. Set ARENA_TOKEN", 2),
        (lambda bot: bot.run("x:1", " \r\n"), "Error: The bot needs a token. Set ARENA_TOKEN", 2),
        (lambda bot: bot.run("x:1", "lama_a\nb"), "Error: The token is not valid.", 2),
        (lambda bot: bot.run("http://x:1", "t"), "'http://x:1' is the address of a website", 1),
        (lambda bot: bot.run("somewhere", "t"), "'somewhere' is not the address of a gateway", 1),
    ],
)
@pytest.mark.usefixtures("no_arena")
def test_a_bot_that_cannot_start_says_why_in_one_line(
    run: Callable[[Bot], None], sentence: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(First())
    assert ended.value.code == status
    printed = capsys.readouterr().err
    assert sentence in printed
    assert printed.count("\n") == 1


@pytest.mark.parametrize("token", ["lama_x\n", "lama_x\r", " lama_x\r\n"])
@pytest.mark.usefixtures("no_arena")
def test_a_bot_connects_without_the_white_space_around_its_token_and_address(
    token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    came: list[tuple[str, str]] = []

    async def session(_: Bot, arena: Address, token: str, *_rest: object) -> None:
        came.append((arena.place, token))
        raise client.Refused("seen")

    monkeypatch.setattr(client, "_one_session", session)
    monkeypatch.setenv("ARENA_TOKEN", token)
    monkeypatch.setenv("ARENA_URL", "127.0.0.1:1\r")
    with pytest.raises(SystemExit):
        First().run()

    assert came == [("127.0.0.1:1", "lama_x")]


@pytest.mark.usefixtures("no_arena")
def test_a_bot_finds_the_arena_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_DATA", str(tmp_path))
    assert usual_address() == "127.0.0.1:7420"

    with folder.lock(tmp_path):
        folder.announce(tmp_path, folder.Running(1, "127.0.0.1:3", "http://x", "", "", ""))
        assert usual_address() == "127.0.0.1:3"
        monkeypatch.setenv("ARENA_URL", "elsewhere:1")
        assert usual_address() == "elsewhere:1"
