"""`arena bench pipeline`: a whole arena with and without luck calculation, and the wire."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import islice

import pytest

from arena.bench.wire_processes import HEAD, Shape
from arena.service.gateway import metrics

WAYS = {"from_worker", "to_bot", "from_bot", "to_worker"}
# A process of its own: an arena in the tests' process would inherit what captures their output.
COMMAND = [sys.executable, "-P", "-m", "arena.cli", "bench", "pipeline", "--json"]
COMMAND += ["--matches", "40", "--turns", "1", "--single-matches", "1"]


def test_the_wire_sends_as_many_messages_and_bytes_as_the_arena() -> None:
    done = subprocess.run(COMMAND, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    found = json.loads(done.stdout)

    loads = {one["load"]: one for one in found["loads"]}
    assert list(loads) == [
        "bots answer in batches",
        "bots answer in batches, no luck calculation",
        "bots answer one by one",
        "the wire",
        "one match, one decision at a time",
    ]
    with_luck, without, _, wire, _ = [one["turns"][0] for one in loads.values()]
    assert with_luck["cpu"]["review-worker"] > 0
    assert "review-worker" not in without["cpu"]
    assert {*wire["cpu"]} == {"redis", "gateway", "bots", "worker"}
    assert loads["bots answer in batches"]["of_wire"] == [
        with_luck["decisions_per_s"] / wire["decisions_per_s"]
    ]
    assert {*wire["legs"]} == {*without["legs"]} == WAYS
    for way, leg in wire["legs"].items():
        for unit, sent in leg.items():
            assert sent == pytest.approx(without["legs"][way][unit], rel=0.05), (way, unit)


def test_messages_of_the_wire_are_spread_evenly() -> None:
    shape = Shape(1, 4, 1, {"from_worker": 4, "to_bot": 14, "to_worker": 3}, {"to_bot": 40})

    assert list(islice(shape.parts("to_bot", "from_worker"), 4)) == [3, 4, 3, 4]
    assert set(islice(shape.parts("to_worker", "from_worker"), 4)) == {1}
    message = shape.message("to_bot", 2, 70_000, last=False)
    assert len(message) == 40
    assert HEAD.unpack_from(message) == (2, 70_000, False)


def test_a_gateway_counts_messages_and_their_bytes() -> None:
    names = ("arena_messages_total", "arena_message_bytes_total")

    def counted() -> list[float]:
        values = [metrics.REGISTRY.get_sample_value(name, {"way": "to_bot"}) for name in names]
        return [value or 0.0 for value in values]

    before = counted()
    metrics.count_message("to_bot", 500)
    metrics.count_message("to_bot", 20)
    assert [now - was for now, was in zip(counted(), before, strict=True)] == [2, 520]
