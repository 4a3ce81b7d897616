"""Two hosts on one machine, with network and disks for faults.

Under root, the program runs in separate namespaces, which disappear with its last process, so its
mounts and network do not affect other programs. The second host is a network namespace, reached by
a virtual cable. If that is not possible, both hosts are loopback, without network or disk faults.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arena.operations.supervise.child import ChildSpec
from arena.operations.supervise.supervisor import Supervisor

ISOLATED = "CHAOS_ISOLATED"  # set in a process with separate namespaces
LOOPBACK = "127.0.0.1"
FIRST, SECOND, NETWORK = "10.231.7.1", "10.231.7.2", "10.231.7.0/30"
NOBODY = "02:00:00:00:00:99"  # no network card has this address
DISK = "200m"
NAMESPACES = ("unshare", "--mount", "--net")


@dataclass(frozen=True)
class Hosts:
    """The hosts of the arena. `enter` is the prefix of commands on the second host. `cable` names
    the ends of the cable and is empty without a second network."""

    first: str = LOOPBACK
    second: str = LOOPBACK
    enter: tuple[str, ...] = ()
    cable: tuple[str, ...] = ()

    @contextmanager
    def cut(self) -> Iterator[None]:
        """Drops all packets between the hosts silently, in both directions."""
        here, there = self.cable
        ends = ((here, self.second, ()), (there, self.first, self.enter))
        for end, other, enter in ends:
            _ip(*enter, neighbour="replace", end=end, other=other)
        try:
            yield
        finally:
            for end, other, enter in ends:
                _ip(*enter, neighbour="del", end=end, other=other)


def isolate(arguments: list[str], module: str = "tests.chaos") -> None:
    """Re-executes this module in separate namespaces, if possible."""
    if os.geteuid() != 0 or ISOLATED in os.environ or not _works(*NAMESPACES, "true"):
        return
    command = [*NAMESPACES, sys.executable, "-m", module, *arguments]
    os.execvpe(command[0], command, os.environ | {ISOLATED: "1"})


def two_hosts(supervisor: Supervisor) -> Hosts:
    """Creates the second host in a network namespace, or uses loopback for both."""
    if ISOLATED not in os.environ:
        return Hosts()
    _run("ip", "link", "set", "lo", "up")
    supervisor.start(ChildSpec("second-host", ("unshare", "--net", "sleep", "infinity")))
    enter = ("nsenter", f"--net=/proc/{supervisor.pid('second-host')}/ns/net", "--")
    cable = ("chaos1", "chaos2")
    while not _apart(supervisor.pid("second-host")):
        supervisor.pause(0.05)
    namespace = str(supervisor.pid("second-host"))
    _run("ip", "link", "add", cable[0], "type", "veth", "peer", cable[1], "netns", namespace)
    for end, address, there in ((cable[0], FIRST, ()), (cable[1], SECOND, enter)):
        _run(*there, "ip", "address", "add", f"{address}/30", "dev", end)
        _run(*there, "ip", "link", "set", end, "up")
    _run(*enter, "ip", "link", "set", "lo", "up")
    return Hosts(FIRST, SECOND, enter, cable)


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """Mounts a small disk there. Returns False if that is not possible."""
    folder.mkdir(parents=True)
    mount = ("mount", "-t", "tmpfs", "-o", f"size={DISK},mode=0777", "tmpfs", str(folder))
    mounted = ISOLATED in os.environ and _works(*mount)
    try:
        yield mounted
    finally:
        if mounted:
            _run("umount", "--lazy", str(folder))


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Covers the folder with an empty read-only file system."""
    _run("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(folder))
    try:
        yield
    finally:
        _run("umount", "--lazy", str(folder))


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """Fills the disk."""
    ballast = disk / "ballast"
    try:
        with ballast.open("wb", buffering=0) as file:
            _fill(file.fileno())
        yield
    finally:
        ballast.unlink()


def _fill(file: int) -> None:
    for size in (1 << 20, 4096):
        try:
            while True:
                os.write(file, bytes(size))
        except OSError:
            continue


def _apart(process: int) -> bool:
    """Whether a process already has a separate network namespace."""
    return os.readlink(f"/proc/{process}/ns/net") != os.readlink("/proc/self/ns/net")


def _ip(*enter: str, neighbour: str, end: str, other: str) -> None:
    where = ("lladdr", NOBODY, "nud", "permanent") if neighbour == "replace" else ()
    _run(*enter, "ip", "neighbour", neighbour, other, *where, "dev", end)


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


def _works(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False
