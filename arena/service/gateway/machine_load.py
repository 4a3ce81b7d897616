"""Checks whether the processors of this machine are busy."""

import os
from pathlib import Path

# Linux: the percentage of the last ten seconds in which a process waited for a processor, for the
# machine and for the container's control group.
PRESSURE = (Path("/proc/pressure/cpu"), Path("/sys/fs/cgroup/cpu.pressure"))
BUSY_PERCENT = 25.0
BUSY_LOAD = 1.5  # elsewhere: running and waiting processes per processor


def busy() -> bool:
    """Return whether processes wait for a processor for much of the time."""
    found = [share for share in map(_pressure, PRESSURE) if share is not None]
    if found:
        return max(found) >= BUSY_PERCENT
    return os.getloadavg()[0] >= BUSY_LOAD * (os.cpu_count() or 1)


def _pressure(place: Path) -> float | None:
    """Return the first number of e.g. "some avg10=97.74 avg60=…", or None."""
    try:
        _, average, *_ = place.read_text().split()
        return float(average.removeprefix("avg10="))
    except (OSError, ValueError):
        return None
