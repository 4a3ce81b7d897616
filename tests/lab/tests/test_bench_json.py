"""`bench ... --json`: figures with the command, its options and what it ran on."""

import json
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from click.testing import CliRunner

from tests.lab.bench import engine, inference, soak, strength
from tests.lab.bench.inference import Gain
from tests.lab.bench.soak import Sample, Soak
from tests.lab.bench.strength import Measured
from tests.lab.bench.usage import Usage
from tests.lab.commands.root import lab
from tests.lab.strength import Strength

SAMPLE = Sample(80, 2.0, {"gateway": Usage(1.5, 90_000_000, 20)}, 12, 2_000_000, 70_000)


def told(*arguments: str, status: int = 0) -> dict[str, Any]:
    done = CliRunner().invoke(lab, ["bench", *arguments, "--json"])
    assert done.exit_code == status, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["command"].endswith(f"bench {arguments[0]}")
    assert {"options", "arena", "python", "rules", "cores"} <= set(found)
    return found


@pytest.mark.parametrize(("growing", "status"), [((), 0), (("The keys in Redis grew.",), 1)])
def test_a_soak_tells_its_samples_and_what_grew(
    monkeypatch: pytest.MonkeyPatch, growing: tuple[str, ...], status: int
) -> None:
    monkeypatch.setattr(soak, "measure", lambda *_: Soak((SAMPLE,), growing))

    found = told("soak", "--matches", "80", status=status)

    assert found["options"] == {"matches": 80, "samples": 20, "rounds": None}
    assert found["growing"] == list(growing)
    (sample,) = found["samples"]
    assert (sample["matches"], sample["redis_keys"], sample["database"]) == (80, 12, 70_000)
    assert sample["processes"] == {"gateway": {"cpu_s": 1.5, "memory": 90_000_000, "files": 20}}


STRENGTH = Measured("lama", 4, "master", 512, "sharp", Strength(0.6, 0.01, 3000), 1.5)
GAIN = Gain("lama", 4, "house", 0.5, 0.1, 0.4, 2000)


@pytest.mark.parametrize(
    ("command", "module", "row", "first"),
    [
        ("strength", strength, STRENGTH, '    {"game": "lama", "seats": 4, "bot": "master"'),
        ("inference", inference, GAIN, '    {"game": "lama", "seats": 4, "players": "house"'),
    ],
)
def test_each_row_is_printed_once_it_is_known(
    monkeypatch: pytest.MonkeyPatch, command: str, module: Any, row: Any, first: str
) -> None:
    out, before = StringIO(), list[str]()

    def measured(*_: object) -> Iterator[Any]:
        for _row in range(2):
            before.append(out.getvalue().splitlines()[-1])
            yield row

    monkeypatch.setattr(module, "measure", measured)
    monkeypatch.setattr("sys.stdout", out)

    lab(["bench", command, "--json"], standalone_mode=False)
    assert before[0] == f'  "{command}": ['
    assert before[1].startswith(first)
    assert [one["seats"] for one in json.loads(out.getvalue())[command]] == [4, 4]

    before.clear()
    lab(["bench", command], standalone_mode=False)
    assert set(before[0]) == {"-"}
    assert before[1].startswith("lama")


def test_the_engines_speeds_are_printed_game_by_game(monkeypatch: pytest.MonkeyPatch) -> None:
    out, before = StringIO(), list[str]()

    def measured(game: str, *_: object) -> engine.EngineSpeed:
        before.append(out.getvalue().splitlines()[-1])
        return engine.EngineSpeed(game, 4, 1.0, 1.0, 2.0, 3.0)

    monkeypatch.setattr(engine, "measure", measured)
    monkeypatch.setattr(engine, "beside_pure", measured)
    monkeypatch.setattr("sys.stdout", out)
    for words in ((), ("--json",)):
        before.clear()
        lab(["bench", "engine", *words], standalone_mode=False)
        assert "lama" in before[1]
        assert "party" in before[2]
