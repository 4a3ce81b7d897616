"""`arena bench engine`, beside engines of others that are not there in tests."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from click.testing import CliRunner

from arena.base.errors import Unavailable
from arena.bench import peer_games, peers
from arena.cli.app import arena


class Crazy:
    """A match of chance, three decisions, and chance again."""

    def __init__(self) -> None:
        self.left = ["chance", "play", "play", "play", "chance"]

    def is_terminal(self) -> bool:
        return not self.left

    def is_chance_node(self) -> bool:
        return self.left[0] == "chance"

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(7, 0.5), (8, 0.5)]

    def legal_actions(self) -> list[int]:
        return [1, 2]

    def apply_action(self, action: int) -> None:
        assert action in ((7, 8) if self.is_chance_node() else (1, 2))
        self.left.pop(0)


class Uno:
    """A match of five decisions."""

    def __init__(self, num_players: int) -> None:
        assert num_players == 4

    def init_game(self) -> None:
        self.left = 5

    def is_over(self) -> bool:
        return not self.left

    def get_legal_actions(self) -> list[str]:
        return ["r-1", "draw"]

    def step(self, action: str) -> None:
        assert action in ("r-1", "draw")
        self.left -= 1


class Legal:
    def nonzero(self) -> tuple[list[int]]:
        return ([0, 2],)


class Holdem:
    """Two agents decide once each; then both are asked for nothing, to leave."""

    def reset(self, seed: int) -> None:
        self.turn = 0

    def agent_iter(self) -> Iterator[str]:
        for self.turn in range(4):
            yield f"player_{self.turn % 2}"

    def last(self) -> tuple[dict[str, Legal], float, bool, bool, dict[str, str]]:
        return {"action_mask": Legal()}, 0.0, self.turn >= 2, False, {}

    def step(self, action: int | None) -> None:
        assert (action is None) == (self.turn >= 2)


def module(name: str, **content: object) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(content)
    return made


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    load = lambda name, options: SimpleNamespace(new_initial_state=Crazy)  # noqa: E731
    holdem = SimpleNamespace(env=lambda num_players: Holdem())
    for made in (
        module("pyspiel", load_game=load),
        module("rlcard"),
        module("rlcard.games"),
        module("rlcard.games.uno", Game=Uno),
        module("pettingzoo"),
        module("pettingzoo.classic", texas_holdem_v4=holdem),
    ):
        monkeypatch.setitem(sys.modules, made.__name__, made)


@pytest.mark.parametrize(
    ("game", "decisions"), [("crazy_eights", 3), ("uno", 5), ("texas_holdem", 2)]
)
def test_what_players_decide_counts(game: str, decisions: int) -> None:
    matches = peer_games.GAMES[game](random.Random(1))

    assert [next(matches) for _ in range(3)] == [decisions] * 3


def test_every_peer_has_a_title() -> None:
    assert peer_games.GAMES.keys() == peers.TITLES.keys()


def test_a_peer_prints_its_decisions_a_second(capsys: pytest.CaptureFixture[str]) -> None:
    peer_games.main("uno", "0.01", "1")

    assert float(capsys.readouterr().out) > 0


def python_that(folder: Path, does: str) -> Path:
    program = folder / "python"
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o755)
    return program


def test_a_peer_is_run_by_its_own_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/ours")
    own = python_that(tmp_path, 'echo "a greeting$PYTHONPATH"; echo "$#.5"')

    assert peers.speed(own, "uno", 1.0, 7) == 6.5


def test_one_that_fails_is_told_in_a_sentence(tmp_path: Path) -> None:
    own = python_that(tmp_path, "echo Traceback >&2; echo 'ImportError: no pyspiel' >&2; exit 1")

    with pytest.raises(Unavailable, match=r"failed: ImportError: no pyspiel$"):
        peers.speed(own, "crazy_eights", 1.0, 7)


def test_they_are_installed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, made, told = tmp_path / "peers", list[Path](), list[str]()

    def create(folder: Path, **_: bool) -> None:
        made.append(folder)
        (folder / "bin").mkdir(parents=True)
        python_that(folder / "bin", f'echo "$*" >> {tmp_path}/installed')

    monkeypatch.setattr("venv.create", create)

    found = [peers.environment(folder, told.append) for _ in range(2)]

    assert found == [folder / "bin" / "python"] * 2
    assert (made, len(told)) == ([folder], 1)
    assert (tmp_path / "installed").read_text().split()[-4:] == list(peers.PINNED)


def test_an_installation_that_fails_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def create(folder: Path, **_: bool) -> None:
        (folder / "bin").mkdir(parents=True, exist_ok=True)
        python_that(folder / "bin", "echo 'ERROR: No matching distribution' >&2; exit 1")

    monkeypatch.setattr("venv.create", create)

    for _ in range(2):
        with pytest.raises(Unavailable, match="No matching distribution"):
            peers.environment(tmp_path / "peers", lambda _: None)


def test_ratios_compare_turn_by_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = iter([100.0, 400.0, 300.0])
    monkeypatch.setattr(peers, "measure", lambda *_: SimpleNamespace(decisions_per_s=next(mine)))
    monkeypatch.setattr(
        peers, "speed", lambda python, game, seconds, seed: [50.0, 100.0, 200.0][seed]
    )

    ours, theirs = peers.compare(Path("python"), 1.0, 3, lambda _: None)

    assert ours == 300.0
    assert {one.decisions_per_s for one in theirs} == {100.0}
    assert {one.ratio for one in theirs} == {2.0}  # of 2, 4 and 1.5
    assert [one.engine.split()[0] for one in theirs] == ["OpenSpiel", "RLCard", "PettingZoo"]


def test_the_command_tells_all_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "environment", lambda folder, tell: Path("python"))
    monkeypatch.setattr(peers, "speed", lambda *_: 10.0)
    command = ["bench", "engine", "--seconds", "0.1", "--peers", "--json"]

    told = json.loads(CliRunner().invoke(arena, command).stdout)

    assert [one["game"] for one in told["engine"]] == ["lama", "party", "dice", "kadabra"]
    assert told["lama_beside_peers"] > 1000
    assert [one["game"] for one in told["peers"]] == ["Crazy Eights", "UNO", "Texas hold 'em"]
    assert {"arena", "python"} < told.keys()


def test_the_command_prints_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "environment", lambda folder, tell: Path("python"))
    monkeypatch.setattr(peers, "speed", lambda *_: 10.0)

    told = CliRunner().invoke(arena, ["bench", "engine", "--seconds", "0.1", "--peers"]).stdout

    assert "OpenSpiel 2.0.2" in told
    assert "In turns with others LAMA takes" in told
