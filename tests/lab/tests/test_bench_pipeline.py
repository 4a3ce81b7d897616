"""`bench pipeline`: a whole arena with and without luck calculation, and the wire."""

import json
import subprocess
import sys
from itertools import islice

import pytest

from tests.lab.bench.wire_processes import HEAD, Shape

pytestmark = pytest.mark.lab

WAYS = {"from_worker", "to_bot", "from_bot", "to_worker"}
# In a process of its own: a forked arena would inherit what captures the output of tests.
MEASURE = """
import json
from tests.lab.bench import pipeline, wire
arena = pipeline.measure(pipeline.batched(40, kind="batches", luck=False), lambda line: None)
alone = wire.measure(arena, lambda line: None)
print(json.dumps([[sorted(each.cpu), {way: vars(leg) for way, leg in each.legs.items()}]
    for each in (arena, alone)]))
"""


def test_the_wire_sends_as_many_messages_and_bytes_as_the_arena() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEASURE], capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    (processes, legs), (alone, sent) = json.loads(done.stdout)

    assert "review-worker" not in processes
    assert {*alone} == {"redis", "gateway", "bots", "worker"}
    assert {*sent} == {*legs} == WAYS
    for way, leg in sent.items():
        assert leg == pytest.approx(legs[way], rel=0.05), way


def test_messages_of_the_wire_are_spread_evenly() -> None:
    shape = Shape(1, 4, 1, {"from_worker": 4, "to_bot": 14, "to_worker": 3}, {"to_bot": 40})

    assert list(islice(shape.parts("to_bot", "from_worker"), 4)) == [3, 4, 3, 4]
    assert set(islice(shape.parts("to_worker", "from_worker"), 4)) == {1}
    message = shape.message("to_bot", 2, 70_000, last=False)
    assert len(message) == 40
    assert HEAD.unpack_from(message) == (2, 70_000, False)
