"""`bench engine --batch`: many games at once, in turns with one after the other."""

import json

import pytest
from click.testing import CliRunner

from arena.games.rules import GAMES
from tests.lab.bench import batch, engine
from tests.lab.commands.root import lab

COMMAND = ["bench", "engine", "--seconds", "0.1", "--batch", "--games", "64"]


def test_a_batch_is_compared_turn_by_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    many, one = iter([(0.0, 0.0), (60.0, 6.0), (90.0, 9.0), (80.0, 8.0)]), iter([10.0, 30.0, 20.0])
    monkeypatch.setattr(batch, "play", lambda *_: next(many))
    speed = lambda *_: engine.EngineSpeed("lama", 4, next(one), 1.0, 1.0, 1.0)  # noqa: E731
    monkeypatch.setattr(engine, "measure", speed)

    measured = batch.measure("lama", 4, 1.0, 16)

    assert measured == batch.BatchSpeed("lama", 4, 16, 80.0, 8.0, 20.0, ratio=4.0)


def test_the_command_tells_all_as_json() -> None:
    told = json.loads(CliRunner().invoke(lab, [*COMMAND, "--json"]).stdout)

    assert [one["game"] for one in told["batch"]] == list(GAMES)
    assert all(one["games"] == 64 and one["decisions_per_s"] > 0 for one in told["batch"])
