"""What `arena bench growth` measures, what it concludes, and what it prints and saves."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.bench import growth_arena
from arena.bench.gateways import samples
from arena.bench.growth import PARTS, Growth, Load, PartName
from arena.bench.growth_arena import Watch, fields_of, tournament_of
from arena.cli.app import arena
from arena.service.control.messages import read_spec
from arena.tournaments.formats import check_spec, format_of
from tests.made_growth import growth, point


def bench(*arguments: str | Path) -> Result:
    return CliRunner().invoke(arena, ["bench", "growth", *map(str, arguments)])


# What is measured


def test_one_thing_grows_and_as_many_matches_as_it_takes() -> None:
    loads = {
        part: [load_of(number) for number in numbers] for part, (load_of, numbers) in PARTS.items()
    }

    assert loads["bots"][0] == loads["flight"][3] == loads["workers"][1] == Load()
    assert [(each.bots, each.in_flight) for each in loads["bots"][-2:]] == [
        (1000, 4000),
        (2000, 8000),
    ]
    assert [(each.workers, each.in_flight) for each in loads["workers"]] == [
        (1, 256),
        (2, 512),
        (4, 1024),
    ]
    assert loads["flight"][0] == Load(in_flight=1, workers=1)
    assert loads["gateways"] == [Load(), Load(gateways=2)]


@pytest.mark.parametrize(("part", "number"), [(part, n) for part in PARTS for n in PARTS[part][1]])
def test_every_load_can_be_played(part: PartName, number: int) -> None:
    load = PARTS[part][0](number)
    names = [f"bot-{number}" for number in range(load.bots)]
    fields = fields_of(names, load.in_flight)

    assert {name for field in fields for name in field} == set(names)
    assert len({len(field) for field in fields}) == 1
    assert load.in_flight <= 2048 * len(fields)
    for field in fields:
        spec = check_spec(read_spec(tournament_of(field, rounds=1, seed=1)))
        assert format_of(spec.format).count(spec) >= 1_000_000


def test_counters_are_read_without_those_that_have_labels() -> None:
    text = (
        "# TYPE arena_decisions_sent counter\narena_decisions_sent_total 12.0\n"
        "# TYPE arena_batch_decisions histogram\n"
        'arena_batch_decisions_bucket{le="+Inf"} 3.0\n'
        "arena_batch_decisions_sum 12.0\narena_batch_decisions_count 3.0\n"
        "# TYPE arena_sessions gauge\narena_sessions 4.0\n"
    )

    found = samples(text)

    assert (found["arena_decisions_sent_total"], found["arena_batch_decisions_count"]) == (12, 3)
    assert found["arena_sessions"] == 4
    assert "arena_batch_decisions_bucket" not in found


# What it means


def test_a_point_says_what_a_decision_costs() -> None:
    one = point("bots", 4, cpu=6.0)

    assert (one.decisions_per_s, one.matches_per_s) == (5000, 125)
    assert one.cpu_us == pytest.approx(100)
    assert one.decisions_per_message == 60


@pytest.mark.parametrize(
    ("cpu", "ratio", "worse"),
    [((9.0, 6.0, 6.6), 1.1, False), ((9.0, 6.0, 7.2), 1.2, True), ((9.0, 3.0), 1 / 3, False)],
)
def test_the_last_two_points_say_whether_it_is_linear(
    cpu: tuple[float, ...], ratio: float, worse: bool
) -> None:
    grown = growth("flight", *cpu)

    assert grown.ratio == pytest.approx(ratio)
    assert grown.worse_than_linear is worse


@pytest.mark.parametrize("cpu", [(6.0,), (0.0, 0.0)])
def test_of_one_point_or_without_cpu_times_nothing_can_be_said(cpu: tuple[float, ...]) -> None:
    grown = growth("flight", *cpu)

    assert grown.ratio is None
    assert not grown.worse_than_linear


def test_of_several_turns_medians_count() -> None:
    slow, fast, middle = (
        [replace(each, seconds=seconds) for each in growth("gateways", *cpu).points]
        for seconds, cpu in [(20.0, (6.0, 6.6)), (10.0, (3.0, 6.0)), (15.0, (9.0, 9.9))]
    )

    grown = Growth("gateways", (tuple(slow), tuple(fast), tuple(middle)))

    assert grown.points == middle
    assert grown.ratio == pytest.approx(1.1)  # of 1.1, 2 and 1.1
    assert Growth("gateways", (tuple(slow), tuple(fast))).points == slow


# The command


def test_it_prints_all_points_and_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [growth("workers", 6.0, 6.0, 9.0), growth("gateways", 6.0)]
    monkeypatch.setattr(growth_arena, "measure", lambda *_: made)

    done = bench("--part", "workers", "--part", "gateways")

    assert done.exit_code == 0, done.output
    rows = [
        line.split()
        for line in done.stdout.splitlines()
        if line.startswith(("workers ", "gateways "))
    ]
    assert [row[:8] for row in rows] == [
        ["workers", "4", "256", "1", "1", "5,000", "125", "100.0"],
        ["workers", "4", "512", "2", "1", "5,000", "125", "100.0"],
        ["workers", "4", "1,024", "4", "1", "5,000", "125", "150.0"],
        ["gateways", "4", "512", "2", "1", "5,000", "125", "100.0"],
    ]
    assert done.stdout.splitlines()[-1] == (
        "workers, from 2 to 4: 1.50 times the CPU time a decision, worse than linear."
    )


def test_it_saves_and_prints_json_and_draws(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[object] = []

    def measure(*arguments: object) -> list[object]:
        asked.extend(arguments)
        return [growth("bots", 6.0, 6.0), growth("gateways", 6.0)]

    monkeypatch.setattr(growth_arena, "measure", measure)
    done = bench("--out", tmp_path / "new" / "folder", "--json", "--seconds", "3", "--turns", "2")

    assert done.exit_code == 0, done.output
    assert asked[:2] == [tuple(PARTS), Watch(3.0, turns=2)]
    told = json.loads(done.stdout)
    assert told == json.loads((tmp_path / "new" / "folder" / "growth.json").read_text())
    assert (told["command"].split()[-1], told["options"]["seconds"]) == ("growth", 3)
    assert str(tmp_path) not in json.dumps(told)
    assert [(each["part"], each["ratio"]) for each in told["growth"]] == [
        ("bots", 1),
        ("gateways", None),
    ]
    (first, *_) = told["growth"][0]["points"]
    assert (first["grown"], first["load"]["in_flight"], first["cpu_us"]) == (
        4,
        512,
        pytest.approx(100),
    )
    saved = sorted(file.name for file in (tmp_path / "new" / "folder").iterdir())
    assert saved == ["bots.svg", "gateways.svg", "growth.json"]


def test_earlier_figures_are_drawn_again_alike(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(growth_arena, "measure", lambda *_: [growth("bots", 6.0, 6.0)])
    assert bench("--out", tmp_path).exit_code == 0
    drawn = (tmp_path / "bots.svg").read_bytes()

    done = bench("--from", tmp_path / "growth.json", "--out", tmp_path / "again")

    assert done.exit_code == 0, done.output
    assert (tmp_path / "again" / "bots.svg").read_bytes() == drawn


@pytest.mark.parametrize(
    ("text", "sentence"), [("{", "is not JSON"), ('{"engine": []}', "These are not the figures")]
)
def test_what_cannot_be_drawn_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "other.json").write_text(text)

    done = bench("--from", tmp_path / "other.json", "--out", tmp_path)

    assert done.exit_code != 0
    assert sentence in f"{done.output}{done.exception}"


def test_drawings_need_a_place() -> None:
    done = bench("--from", __file__)

    assert done.exit_code == 2
    assert "with --out" in done.output
