"""The search for histories in which a promise is broken: that it passes, and that it can fail."""

from dataclasses import replace

import pytest
from click.testing import CliRunner

from arena.base.keepalive import SLOWEST_PING_S, SLOWEST_PING_TIMEOUT_S
from tests.lab.commands.simulate import simulate
from tests.lab.faults import search as searching
from tests.lab.faults.faults import KINDS, KINDS_OF_HOSTS, InjectedFault
from tests.lab.faults.search import play, scenario, search, shrink
from tests.lab.faults.world import HAPPENS
from tests.lab.tests.test_faultsim import setting


def test_bots_that_think_for_long_are_waited_for_in_every_process() -> None:
    found = scenario(303)
    assert found.think_s > 3.0
    assert len(found.faults) > 3

    history = play(found, 303)

    assert history.violations == []
    assert history.seconds > 1000.0


def test_a_stream_that_breaks_while_redis_is_away_costs_nobody_anything() -> None:
    """Nobody can come back then. The search found it: seed 4."""
    found = scenario(4)
    away = [fault for fault in found.faults if fault.kind == "Redis away"]
    cuts = [fault for fault in found.faults if fault.kind == "stream cut"]
    assert any(one.at < cut.at < one.ends for one in away for cut in cuts)

    assert play(found, 4).violations == []


def test_scenarios_draw_all_kinds_of_faults() -> None:
    drawn = {fault.kind for seed in range(100) for fault in scenario(seed).faults}

    assert drawn == KINDS.keys()
    assert drawn | KINDS_OF_HOSTS.keys() == HAPPENS.keys()  # those in test_faultsim.py


def test_a_seed_is_the_same_history_again() -> None:
    assert scenario(11) == scenario(11) != scenario(8)
    assert play(scenario(11), 11) == play(scenario(11), 11)


# It can fail. Each of these takes back what was mended.


def frozen_and_more() -> tuple[InjectedFault, ...]:
    """A gateway that falls silent, among faults that harm nobody."""
    return (
        InjectedFault(1.0, "stream cut", 0.0, 0.2),
        InjectedFault(2.0, "gateway frozen", 80.0, 0.1),
        InjectedFault(3.0, "worker stopped", 0.0, 0.5),
        InjectedFault(4.0, "beat away", 5.0, 0.0),
    )


def test_a_history_that_fails_is_shrunk_to_what_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.lab.faults.redis_model.HELD_TTL_S", 0)
    monkeypatch.setattr("tests.lab.faults.gateway.BOT_PING_S", SLOWEST_PING_S)
    monkeypatch.setattr("tests.lab.faults.gateway.BOT_PING_TIMEOUT_S", SLOWEST_PING_TIMEOUT_S)
    failing = replace(setting(matches=36, think_s=0.05), faults=frozen_and_more())

    failure = shrink(failing, seed=5)

    assert [fault.kind for fault in failure.faults] == ["gateway frozen"]
    assert "an honest bot was blamed" in failure.violations[0]


def test_a_batch_that_nobody_hands_out_again_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.lab.faults.world.SimArena._sweep", lambda world: None)
    crash = InjectedFault(1.0, "worker crashed", 0.0, 0.5)

    history = play(replace(setting(matches=36, think_s=0.05), faults=(crash,)), seed=6)

    assert "batches are not complete" in history.violations[0]


def test_the_search_stops_at_the_first_seed_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.lab.faults.world.SimArena._sweep", lambda world: None)
    crash = InjectedFault(1.0, "worker crashed", 0.0, 0.5)
    made = replace(setting(matches=12, think_s=0.2), faults=(crash,))
    monkeypatch.setattr(searching, "scenario", lambda seed: made)

    found = search(41, lambda so_far: so_far.scenarios >= 5)

    assert found.scenarios == 1
    assert found.failure is not None
    assert (found.failure.seed, found.failure.faults) == (41, [crash])

    told = CliRunner().invoke(simulate, ["faults", "--seed", "41", "--hours", "1"])
    assert told.exit_code == 1
    assert "Seed 41 fails with these faults:" in told.output
    assert "1.00 s  worker crashed" in told.output
    assert "python -m tests.lab simulate faults --seed 41" in told.output


def test_whatever_goes_wrong_every_promise_is_kept_and_the_command_says_what_it_saw() -> None:
    told = CliRunner().invoke(simulate, ["faults", "--seed", "103", "--hours", "0.001"])

    assert told.exit_code == 0, told.output
    assert "Seeds 103 to 103" in told.output
    assert (
        "No match was lost, no honest bot was blamed, and all tournaments finished." in told.output
    )
