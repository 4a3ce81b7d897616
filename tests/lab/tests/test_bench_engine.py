"""`bench engine`: each game by itself, and compiled rules in turns with pure Python."""

import json

import pytest
from click.testing import CliRunner

from arena.base import compiled
from arena.games.rules import GAMES
from tests.lab.bench import engine
from tests.lab.commands.root import lab

COMMAND = ["bench", "engine", "--seconds", "0.1"]


def test_compiled_rules_are_compared_turn_by_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, pure = iter([10.0, 90.0, 40.0]), iter([5.0, 30.0, 40.0])
    speed = lambda *_: engine.EngineSpeed("lama", 4, next(ours), 1.0, 2.0, 3.0)  # noqa: E731
    monkeypatch.setattr(engine, "measure", speed)
    monkeypatch.setattr(engine, "_pure", lambda *_: next(pure))

    measured = engine.beside_pure("lama", 4, 1.0)

    assert measured == engine.EngineSpeed("lama", 4, 40.0, 1.0, 2.0, 3.0, 30.0, ratio=2.0)


def test_the_command_tells_all_as_json() -> None:
    told = json.loads(CliRunner().invoke(lab, [*COMMAND, "--json"]).stdout)

    assert told["rules"] == compiled.description()
    assert [one["game"] for one in told["engine"]] == list(GAMES)
    for one in told["engine"]:
        assert one["decisions_per_s"] > one["matches_per_s"] > 0
        assert one["clones_per_s"] > 0
        assert one["sampled_states_per_s"] > 0
        assert (one["ratio"] is not None) == compiled.in_use()
