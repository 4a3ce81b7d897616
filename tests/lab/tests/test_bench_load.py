"""`bench load`, with a handful of bots and matches."""

import json
import resource

import pytest
from click.testing import CliRunner

from arena.base.errors import InvalidRequest
from tests.lab.bench.load import Crowds, measure
from tests.lab.commands.root import lab

pytestmark = pytest.mark.lab


def test_a_crowd_comes_plays_and_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.lab.bench.load.SETTLE_S", 2.0)  # instead of six
    monkeypatch.setattr("tests.lab.bench.load.LEAVE_S", 1.0)
    options = ("--bots", "24", "--playing", "20", "--storm", "12", "--seconds", "2")
    done = CliRunner().invoke(lab, ["bench", "load", *options, "--json"])

    assert done.exit_code == 0, done.output
    measured = json.loads(done.stdout)
    steps = measured["steps"]
    assert [step["connected"] for step in steps] == [24, 24, 24, 36, 36, 24]
    assert [step["joined"] for step in steps] == [24, 0, 0, 12, 0, 0]
    assert all(step["memory"] > 10_000_000 and step["cores"] >= 0 for step in steps)
    assert steps[1]["decisions_per_s"] is None
    # Results are stored in lots, not in each second.
    played = [step for step in steps if step["decisions_per_s"]]
    assert played
    assert all(1 <= step["p50_ms"] <= step["p99_ms"] for step in played)
    assert measured["gateway_bytes"] > 0
    assert measured["redis_bytes"] > 0


def test_more_bots_than_the_system_lets_a_process_have_are_refused() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)

    with pytest.raises(InvalidRequest, match="but the limit is"):
        measure(Crowds(connected=most, playing=20, storm=1), print)


def test_those_who_play_are_some_of_those_who_connect() -> None:
    done = CliRunner().invoke(lab, ["bench", "load", "--bots", "30", "--playing", "30"])

    assert done.exit_code == 2
    assert "--playing must be smaller than --bots" in done.output
