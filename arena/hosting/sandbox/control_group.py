"""Limits all sandboxes of a host together by a control group, if the machine allows one.

Each process also has its own limits. The group bounds their sum, and gives the arena priority when
CPU time is short. Version 2 has one hierarchy, in which a group with child groups has no processes.
Version 1 has a hierarchy for each controller.
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from arena.base.errors import Unavailable
from arena.hosting.sandbox.sandbox import MB

MOUNTED = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
CONTROLLERS = ("cpu", "memory", "pids")
PROCESSES, LEAF, PREFIX = "cgroup.procs", "arena-host", "arena-sandbox-"
# CPU weight of all sandboxes, per core, relative to a process of the arena. They may use idle
# cores.
SHARE = 0.25
LEFT_S, LOOK_S = 1.0, 0.02
WEIGHT_2, WEIGHT_1 = 100, 1024  # defaults of other groups


@dataclass(frozen=True, slots=True)
class Together:
    """Limits of all sandboxes together."""

    memory_mb: int
    processes: int


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """A group, as its folders: one, or one for each controller."""

    folders: Sequence[Path]

    def add(self, process: int) -> None:
        """Add a process with all its future children. Raises OSError."""
        for folder in self.folders:
            (folder / PROCESSES).write_text(str(process))

    def remove(self) -> None:
        """Wait for its processes to end, and remove it. After a second it is left to the next
        host."""
        until = time.monotonic() + LEFT_S
        for folder in self.folders:
            while not _removed(folder) and time.monotonic() < until:
                time.sleep(LOOK_S)


def control_group(together: Together, mounted: Path = MOUNTED, own: Path = OWN) -> ControlGroup:
    """Create a group with these limits. Raises Unavailable with the reason."""
    name = f"{PREFIX}{os.getpid()}"
    try:
        places = _places(own.read_text())
        if (mounted / "cgroup.controllers").exists():
            return _version_2(mounted / places.get("", ""), name, together)
        return _version_1(mounted, places, name, together)
    except OSError as error:
        raise Unavailable(f"Cannot create a control group for hosted bots: {error}.") from None


def memory_limit(mounted: Path = MOUNTED, own: Path = OWN) -> int | None:
    """Return the memory limit in bytes of this process, such as a container's; None without one."""
    try:
        places = _places(own.read_text())
    except OSError:
        return None
    if (mounted / "cgroup.controllers").exists():
        top, place, name = mounted, places.get("", ""), "memory.max"
    else:
        top, place, name = mounted / "memory", places.get("memory", ""), "memory.limit_in_bytes"
    limits = []
    for folder in (top / place, *(top / place).parents):
        with suppress(OSError, ValueError):  # the root has no limit, and "max" means none
            limits.append(int((folder / name).read_text()))
        if folder == top:
            break
    return min(limits, default=None)


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _places(text: str) -> dict[str, str]:
    """Return the group of this process by controller; "" is version 2."""
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
        # It has processes, so it cannot have child groups: move them down first.
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
    """Create a group, and remove those of hosts that were killed."""
    for left in folder.parent.glob(f"{PREFIX}*"):
        if not Path("/proc", left.name.removeprefix(PREFIX)).exists():
            _removed(left)
    folder.mkdir(exist_ok=True)
    return folder


def _folders(mounted: Path, places: dict[str, str], name: str) -> Iterator[Path]:
    for controller in CONTROLLERS:
        within = mounted / controller / places.get(controller, "")
        # In a container the path may be the one outside, which does not exist here.
        yield (within if within.is_dir() else mounted / controller) / name


def _share_of(weight: int) -> int:
    return max(1, round(SHARE * weight * (os.cpu_count() or 1)))
