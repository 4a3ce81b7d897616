"""What an arena of a given size needs, calculated and simulated."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.base.errors import InvalidRequest
from arena.bench.costs import of_stations
from arena.bench.growth import Load, Point
from arena.capacity import Demand, Prices, StationCost, measured, plan
from arena.capacity.fit import Sample, fitted
from arena.capacity.queueing import Fleet, simulate

COSTS = measured()
GROWTH = Path(__file__).parents[2] / "docs" / "growth" / "growth.json"
SMALL = Demand(bots=30, matches_per_day=50_000)


# Costs


def test_the_cost_of_a_message_is_told_from_that_of_a_decision() -> None:
    real = StationCost(message_us=250.0, decision_us=12.0)
    samples = [
        Sample(decisions, 1000, (1000 * real.message_us + decisions * real.decision_us) / 1e6)
        for decisions in (1000, 8000, 64_000)
    ]

    found = fitted(samples)

    assert found.message_us == pytest.approx(250.0)
    assert found.decision_us == pytest.approx(12.0)
    assert found.of_decision(together=10) == pytest.approx(37.0)


def test_neither_cost_is_negative() -> None:
    only_messages = [Sample(1000, 1000, 0.1), Sample(10_000, 1000, 0.09)]
    only_decisions = [Sample(1000, 1000, 0.01), Sample(1000, 100, 0.02)]

    assert fitted(only_messages).decision_us == 0.0
    assert fitted(only_messages).message_us == pytest.approx(95, rel=0.1)
    assert fitted(only_decisions).message_us == 0.0
    assert fitted(only_decisions).decision_us == pytest.approx(13, rel=0.2)


def test_messages_of_one_size_tell_nothing() -> None:
    with pytest.raises(InvalidRequest, match="with few and with many bots"):
        fitted([Sample(1000, 100, 0.1), Sample(2000, 200, 0.2)])


def test_a_workers_costs_are_without_what_storing_takes() -> None:
    cpu = {"worker": 1.0, "gateway": 0.5, "redis": 0.1, "bots": 0.4}
    points = [
        Point(4, Load(), 1.0, 10_000, 200, 250, cpu),
        Point(64, Load(bots=64), 1.0, 10_000, 5000, 250, {**cpu, "worker": 2.0}),
    ]

    plain, without = of_stations(points, 0.0), of_stations(points, 400.0)

    assert plain["worker"].of_decision(2) == pytest.approx(200)
    assert without["worker"].of_decision(2) == pytest.approx(190)  # 250 matches for 0.1 s
    assert without["gateway"] == plain["gateway"]


def test_a_file_that_is_none_of_costs_is_refused(tmp_path: Path) -> None:
    for content in ("", "{}", "[]", '{"costs": {"worker": 1}}'):
        file = tmp_path / "costs.json"
        file.write_text(content)
        with pytest.raises(InvalidRequest, match="arena bench costs --out"):
            measured(file)


# The plan


def test_twice_as_many_matches_need_twice_of_what_they_take() -> None:
    costs = replace(COSTS, waiting_bot_us=0.0)  # which is for bots, not for matches
    once, twice = plan(SMALL, costs), plan(replace(SMALL, matches_per_day=100_000), costs)

    for one, two in zip(once.needs, twice.needs, strict=True):
        assert two.cores == pytest.approx(2 * one.cores, rel=0.05), one.part
    assert twice.database_bytes == pytest.approx(2 * once.database_bytes)
    assert twice.archive_bytes == pytest.approx(2 * once.archive_bytes)


def test_a_small_arena_fits_on_one_small_machine() -> None:
    found = plan(SMALL, COSTS)

    assert sum(need.cores for need in found.needs) < 0.5
    assert [need.processes for need in found.needs] == [1, 1, 1, 1, 0]
    assert found.database_bytes < 10e9


def test_fuller_messages_take_fewer_gateways() -> None:
    crowd = Demand(bots_at_once=1000)
    sparse, full = plan(crowd, COSTS), plan(replace(crowd, window=16_384), COSTS)

    assert crowd.together == pytest.approx(2.048)
    assert [sparse.needs[1].part, sparse.limits[0].part] == ["gateways", "Redis"]
    assert full.needs[1].cores < sparse.needs[1].cores / 3
    assert full.dollars < sparse.dollars


def test_money_is_cores_and_bytes() -> None:
    free = plan(SMALL, COSTS, Prices(core=0, disk_gb=0, object_gb=0))
    priced = plan(SMALL, COSTS, Prices(core=10, disk_gb=1, object_gb=0))

    assert free.dollars == 0
    assert priced.dollars == pytest.approx(10 * priced.cores + priced.database_bytes / 1e9)


# The simulation


def test_a_simulation_repeats_itself() -> None:
    fleet = Fleet(workers=2, bots=16, window=64)

    assert simulate(fleet, COSTS, seconds=0.5) == simulate(fleet, COSTS, seconds=0.5)
    assert simulate(fleet, COSTS, seconds=0.5, seed=2) != simulate(fleet, COSTS, seconds=0.5)


def test_one_decision_at_a_time_takes_its_costs_one_after_the_other() -> None:
    fleet = Fleet(workers=1, bots=1, window=1, bot_processes=1)
    one = sum(each.of_decision(1) for each in (COSTS.worker, COSTS.gateway, COSTS.redis, COSTS.bot))

    course = simulate(fleet, COSTS, seconds=5)

    assert course.together == 1.0
    assert course.decisions_per_s == pytest.approx(1e6 / (one + COSTS.latency_us), rel=0.02)


def test_whoever_is_always_busy_sets_the_pace() -> None:
    slow = replace(COSTS, gateway=StationCost(0.0, 100.0))
    fleet = Fleet(workers=4, bots=16, window=256, bot_processes=16)

    one, two = (simulate(replace(fleet, gateways=count), slow, 2.0) for count in (1, 2))

    assert one.busy["gateway"] > 0.98
    assert one.decisions_per_s == pytest.approx(10_000, rel=0.03)
    assert two.decisions_per_s == pytest.approx(20_000, rel=0.05)


def test_bots_that_think_long_leave_everything_else_idle() -> None:
    course = simulate(Fleet(bots=4, window=64, think_s=0.5), COSTS, seconds=10)

    assert course.decisions_per_s == pytest.approx(2 * 64 / 0.5, rel=0.1)
    assert max(course.busy.values()) < 0.1


def test_the_plan_and_the_simulation_agree_where_nothing_saturates() -> None:
    demand = Demand(matches_per_day=20e6)
    found = plan(demand, COSTS)

    course = simulate(found.fleet, COSTS, seconds=1.0)

    assert course.decisions_per_s > demand.decisions_per_s
    assert found.limits[0].utilisation is not None
    assert found.limits[0].utilisation < 0.9


def points() -> list[Any]:
    return [each for part in json.loads(GROWTH.read_text())["growth"] for each in part["points"]]


@pytest.mark.long
def test_the_simulation_foretells_what_was_measured() -> None:
    """Of the arenas in docs/growth, all on one machine with two cores, nearly all."""
    stations = of_stations([point_of(each) for each in points()[:4]], COSTS.store_us)
    costs = replace(
        COSTS,
        worker=stations["worker"],
        gateway=stations["gateway"],
        redis=stations["redis"],
        bot=stations["bot"],
    )

    ratios = [
        simulate(fleet_of(each), costs, seconds=1.5).decisions_per_s / each["decisions_per_s"]
        for each in points()
    ]

    near = [ratio for ratio in ratios if 0.8 < ratio < 1.5]
    assert len(near) >= len(ratios) - 2, ratios
    assert 0.9 < sorted(ratios)[len(ratios) // 2] < 1.35


def point_of(told: Any) -> Point:
    names = ("grown", "seconds", "decisions", "messages", "matches", "cpu")
    return Point(load=Load(**told["load"]), **{name: told[name] for name in names})


def fleet_of(told: Any) -> Fleet:
    load = told["load"]
    return Fleet(
        workers=load["workers"],
        gateways=load["gateways"],
        bots=load["bots"],
        window=-(-load["in_flight"] // load["workers"]),
        decisions_per_match=max(1, round(told["decisions"] / max(1, told["matches"]))),
        one_host=2,
    )
