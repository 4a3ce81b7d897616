"""One step of a measurement, timed."""

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Step:
    """One measurement: wall-clock seconds, CPU seconds of this process, and its peak memory so
    far."""

    what: str
    seconds: float
    cpu_seconds: float
    megabytes: float


def timed_step(what: str, work: Callable[[], object], times: int = 1) -> Step:
    """Does it and times it; `work` does it so many times over."""
    began, cpu_began = time.perf_counter(), time.process_time()
    work()
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu_began
    return Step(what, seconds / times, cpu / times, _most_memory())


def _most_memory() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used * (1 if sys.platform == "darwin" else 1024) / MEGABYTE
