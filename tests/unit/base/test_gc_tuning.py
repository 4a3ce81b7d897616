"""The garbage collector of a process that serves for long."""

import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator

import pytest

from arena.base import gc_tuning


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    thresholds = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)


class Ring:
    """Refers to itself."""

    def __init__(self) -> None:
        self.next = self


def test_existing_objects_are_not_scanned_again() -> None:
    kept = Ring()
    gc_tuning.tune()
    assert gc.get_freeze_count() > 1000
    assert not any(found is kept for found in gc.get_objects())
    assert gc.get_threshold() == gc_tuning.THRESHOLDS


def test_a_program_that_begins_looks_seldom_and_freezes_nothing() -> None:
    gc_tuning.begin()
    assert gc.get_threshold() == gc_tuning.THRESHOLDS
    assert gc.get_freeze_count() == 0


def test_nothing_is_scanned_at_the_end_of_a_program() -> None:
    script = """
import atexit, gc
atexit.register(lambda: print(gc.get_freeze_count() > 1000))  # runs last
from arena.base import gc_tuning
gc_tuning.begin()
gc_tuning.begin()
"""

    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)

    assert ran.stdout == "True\n", ran.stderr


def test_later_objects_are_still_collected() -> None:
    gc_tuning.tune()
    gone = [weakref.ref(Ring()) for _ in range(gc_tuning.THRESHOLDS[0] * 2)]
    assert any(ring() is None for ring in gone)
