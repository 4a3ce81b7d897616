"""CPU time, memory and files of the processes of an arena. All are 0 except on Linux."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from arena.operations.supervise.supervisor import Supervisor

PROCESSES = Path("/proc")
TICKS = os.sysconf("SC_CLK_TCK")
PARENT, SESSION, USER_TICKS, SYSTEM_TICKS = 1, 3, 11, 12  # fields of /proc/PID/stat, after the name
CHILDREN_TICKS = slice(13, 15)  # of ended children that were waited for


@dataclass(frozen=True)
class Usage:
    """Resources of a process and its children."""

    cpu_s: float = 0.0  # CPU seconds so far
    memory: int = 0  # bytes without mapped files (RssAnon)
    files: int = 0  # open file descriptors

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.cpu_s + other.cpu_s, self.memory + other.memory, self.files + other.files)


def usage(supervisor: Supervisor) -> dict[str, Usage]:
    """Return the usage of each supervised process, by its name."""
    # Each has its own session, which its children belong to.
    names = {supervisor.pid(name): name for name in supervisor.names}
    used = dict.fromkeys(names.values(), Usage())
    for process in PROCESSES.glob("[0-9]*"):
        with suppress(OSError):  # it has just ended, or belongs to another user
            fields = _fields(process)
            if name := names.get(int(fields[SESSION])):
                used[name] += _of(process, fields)
    return used


def _fields(process: Path) -> list[str]:
    return (process / "stat").read_text().rpartition(")")[2].split()


def _of(process: Path, fields: list[str]) -> Usage:
    ticks = int(fields[USER_TICKS]) + int(fields[SYSTEM_TICKS])
    return Usage(ticks / TICKS, memory(process), len(os.listdir(process / "fd")))


def cpu_below(root: int) -> float:
    """Return the CPU seconds of all descendants of a process, running or waited for."""
    ticks = 0
    for number, fields in _with_below(root).items():
        ticks += sum(map(int, fields[CHILDREN_TICKS]))
        if number != root:
            ticks += int(fields[USER_TICKS]) + int(fields[SYSTEM_TICKS])
    return ticks / TICKS


def memory_below(root: int) -> int:
    """Return the bytes of a process and its descendants, with shared memory divided (PSS)."""
    total = 0
    for number in _with_below(root):
        with suppress(OSError):  # it has just ended
            lines = (PROCESSES / str(number) / "smaps_rollup").read_text().splitlines()
            total += sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total


def _with_below(root: int) -> dict[int, list[str]]:
    """Return the fields of a process and of its descendants, by process id."""
    found: dict[int, list[str]] = {}
    for process in PROCESSES.glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            found[int(process.name)] = _fields(process)
    below = {root} & found.keys()
    while more := {one for one, of in found.items() if int(of[PARENT]) in below} - below:
        below |= more
    return {number: found[number] for number in below}


def memory(process: Path = PROCESSES / "self") -> int:
    """Return the bytes of a process (by its folder in /proc) without mapped files."""
    for line in (process / "status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return 1024 * int(line.split()[1])
    return 0
