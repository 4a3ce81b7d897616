"""`bench hosts`: hosted bots beside the same bots connected."""

import json
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tests.lab.bench.hosted_bots import MATCH, WAYS, Played, ratio
from tests.lab.commands.root import lab

pytestmark = pytest.mark.lab


def test_a_hosted_bot_plays_in_a_sandbox() -> None:
    asked = ["bench", "hosts", "--way", MATCH, "--matches", "4", "--turns", "1", "--json"]
    told = CliRunner().invoke(lab, asked)

    assert told.exit_code == 0, told.output
    (one,) = json.loads(told.stdout)["played"]
    assert (one["way"], one["matches"], one["faults"]) == (MATCH, 4, 0)
    assert one["decisions"] > 4
    assert one["cpu"]["sandboxes"] > 0


def test_who_stops_a_measurement_gets_no_traceback() -> None:
    command = [sys.executable, "-m", "tests.lab", "bench", "hosts", "--way", "connected"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as bench:
        assert bench.stderr is not None
        said = bench.stderr.readline()  # the arena is being started
        bench.send_signal(signal.SIGTERM)
        said += bench.stderr.read()
    assert bench.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in said


def test_ways_are_compared_turn_by_turn() -> None:
    def played(way: str, seconds: float) -> Played:
        return Played(way, 12, 100, 0, seconds, {}, 0.0)

    turns = [(1.0, 2.0, 4.0), (2.0, 2.0, 4.0), (3.0, 3.0, 9.0)]
    all_played = [
        played(way, seconds) for turn in turns for way, seconds in zip(WAYS, turn, strict=True)
    ]
    assert ratio(all_played, MATCH) == 1 / 3
