"""`arena bench costs` and `arena capacity`: from measurements to a plan."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bench import costs, load
from arena.bench.growth import Load, Point
from arena.bench.growth_arena import Watch
from arena.capacity import measured
from tests.integration.conftest import Ran
from tests.integration.test_store_opening import empty_database


def arena_of(grown: int, one: Load, watch: Watch) -> Point:
    """What such an arena may come to: less, the emptier its messages are."""
    messages = max(1, 10_000 * one.bots // one.in_flight)
    seconds = 0.2 + messages * 0.0003
    cpu = {"worker": seconds, "gateway": seconds, "redis": seconds / 9, "bots": seconds}
    return Point(grown, one, watch.seconds, 10_000, min(messages, 10_000), 60, cpu, 900_000)


def test_costs_are_measured_and_a_plan_is_made_of_them(
    run: Callable[..., Ran], postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costs, "point", arena_of)
    crowd = load.Step("they wait", 1000, 0, 5.0, 0.1)
    monkeypatch.setattr(load, "measure", lambda *_: load.Load((crowd, crowd), 60_000.0, 900.0))
    url, file = empty_database(postgres_url, "costs"), tmp_path / "costs.json"

    told = run("bench", "costs", "--database", url, "--matches", "2000", "--out", str(file))

    assert told.status == 0, told.err
    found = measured(file)
    assert 300 < found.sqlite_bytes < 5000
    assert 800 < found.postgresql_bytes < 8000
    assert 0 < found.store_us < found.lock_us == pytest.approx(found.store_us + found.database_us)
    assert found.gateway.message_us > found.gateway.decision_us > 0
    assert found.redis_bytes == 90
    assert 1000 < found.match_in_flight_bytes < 1_000_000
    assert found.archive_bytes == measured().archive_bytes
    assert url not in file.read_text()

    planned = json.loads(run("capacity", "--costs", str(file), "--bots", "9", "--json").out)
    assert planned["plan"]["demand"]["bots"] == 9
    assert planned["plan"]["limits"]


def test_a_plan_is_told_in_words_and_can_be_simulated(run: Callable[..., Ran]) -> None:
    told = run("capacity", "--matches-per-day", "1000000", "--simulate").out

    assert "1,000,000 matches a day of 1,000 bots" in told
    assert "What saturates first: " in told
    assert "Simulated: these processes reach" in told


def test_a_file_without_costs_is_refused(run: Callable[..., Ran], tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text("{}")

    refused = run("capacity", "--costs", str(file))

    assert refused.status != 0
    assert "cannot be read as costs" in refused.err
    assert "Traceback" not in refused.err
