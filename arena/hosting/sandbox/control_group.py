"""What all sandboxes of a host may use together, kept by the kernel: a control group, where there
can be one.

Each process has limits of its own without it; the group bounds their sum, and lets the arena go
first where there is not enough CPU time for all. Version 2 is one tree, in which a group with
groups below it has no processes; version 1 has a tree for each controller.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.base.errors import Unavailable
from arena.hosting.sandbox.sandbox import MB

MOUNTED = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
CONTROLLERS = ("cpu", "memory", "pids")
PROCESSES, LEAF, PREFIX = "cgroup.procs", "arena-host", "arena-sandbox-"
# Beside a process of the arena that wants a core, all sandboxes together get a quarter of one for
# each core that there is; what nobody else wants is theirs.
SHARE = 0.25
LEFT_S, LOOK_S = 1.0, 0.02
WEIGHT_2, WEIGHT_1 = 100, 1024  # of anybody else


@dataclass(frozen=True, slots=True)
class Together:
    """What the processes of all sandboxes may use."""

    memory_mb: int
    processes: int


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """A group, as the folders that it is; one, or one for each controller."""

    folders: Sequence[Path]

    def add(self, process: int) -> None:
        """Puts a process into it, and with it all that it will start. Raises OSError."""
        for folder in self.folders:
            (folder / PROCESSES).write_text(str(process))

    def remove(self) -> None:
        """Removes it once all in it have ended, which takes a moment after they were killed; after
        a second it is left to the next host."""
        until = time.monotonic() + LEFT_S
        for folder in self.folders:
            while not _removed(folder) and time.monotonic() < until:
                time.sleep(LOOK_S)


def control_group(together: Together, mounted: Path = MOUNTED, own: Path = OWN) -> ControlGroup:
    """A new group with these limits. Raises Unavailable, with what keeps this machine from it."""
    name = f"{PREFIX}{os.getpid()}"
    try:
        places = _places(own.read_text())
        if (mounted / "cgroup.controllers").exists():
            return _version_2(mounted / places.get("", ""), name, together)
        return _version_1(mounted, places, name, together)
    except OSError as error:
        raise Unavailable(f"No control group for hosted bots can be made: {error}.") from None


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _places(text: str) -> dict[str, str]:
    """In which group this process is, by controller; "" is version 2."""
    places = {}
    for line in text.splitlines():
        _, controllers, place = line.split(":", 2)
        places.update(dict.fromkeys(controllers.split(","), place.lstrip("/")))
    return places


def _version_2(own: Path, name: str, together: Together) -> ControlGroup:
    wanted = " ".join(f"+{one}" for one in CONTROLLERS)
    try:
        (own / "cgroup.subtree_control").write_text(wanted)
    except OSError:
        # It has processes, so none may be below: they move down first.
        leaf = own / LEAF
        leaf.mkdir(exist_ok=True)
        for process in (own / PROCESSES).read_text().split():
            (leaf / PROCESSES).write_text(process)
        (own / "cgroup.subtree_control").write_text(wanted)
    group = _made(own / name)
    (group / "cpu.weight").write_text(str(_share_of(WEIGHT_2)))
    (group / "memory.max").write_text(str(together.memory_mb * MB))
    (group / "pids.max").write_text(str(together.processes))
    return ControlGroup([group])


def _version_1(
    mounted: Path, places: dict[str, str], name: str, together: Together
) -> ControlGroup:
    values = {
        "cpu": ("cpu.shares", _share_of(WEIGHT_1)),
        "memory": ("memory.limit_in_bytes", together.memory_mb * MB),
        "pids": ("pids.max", together.processes),
    }
    group = ControlGroup(list(_folders(mounted, places, name)))
    try:
        for folder, controller in zip(group.folders, CONTROLLERS, strict=True):
            _made(folder)
            file, value = values[controller]
            (folder / file).write_text(str(value))
    except OSError:
        group.remove()
        raise
    return group


def _made(folder: Path) -> Path:
    """Makes a group, and removes those of hosts that were killed."""
    for left in folder.parent.glob(f"{PREFIX}*"):
        if not Path("/proc", left.name.removeprefix(PREFIX)).exists():
            _removed(left)
    folder.mkdir(exist_ok=True)
    return folder


def _folders(mounted: Path, places: dict[str, str], name: str) -> Iterator[Path]:
    for controller in CONTROLLERS:
        within = mounted / controller / places.get(controller, "")
        # In a container the path may be that of the machine, which is not seen here.
        yield (within if within.is_dir() else mounted / controller) / name


def _share_of(weight: int) -> int:
    return max(1, round(SHARE * weight * (os.cpu_count() or 1)))
