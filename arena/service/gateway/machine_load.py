"""Whether the processors of this machine are busy, as its kernel counts it."""

from __future__ import annotations

import os
from pathlib import Path

# Linux: the share of the last ten seconds in which some process waited for a processor, in percent.
# Of the machine, and of the container's group where that has a limit.
PRESSURE = (Path("/proc/pressure/cpu"), Path("/sys/fs/cgroup/cpu.pressure"))
BUSY_PERCENT = 25.0
BUSY_LOAD = 1.5  # elsewhere: processes that run or wait, for each processor


def busy() -> bool:
    """Whether processes wait for a processor for much of the time."""
    found = [share for share in map(_pressure, PRESSURE) if share is not None]
    if found:
        return max(found) >= BUSY_PERCENT
    return os.getloadavg()[0] >= BUSY_LOAD * (os.cpu_count() or 1)


def _pressure(place: Path) -> float | None:
    """E.g. of "some avg10=97.74 avg60=…" the first number; None where there is none."""
    try:
        _, average, *_ = place.read_text().split()
        return float(average.removeprefix("avg10="))
    except (OSError, ValueError):
        return None
