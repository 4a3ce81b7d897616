"""Hosts as network namespaces, each with a cable to one switch; cables can be cut and slowed.

The switch is a bridge in a namespace of its own. All hosts share the file system of this machine,
but nothing of the arena lies where two of them would find it.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from arena.operations.supervise.child import ChildSpec
from arena.operations.supervise.supervisor import Supervisor

PREFIX = "10.231.8."
NETWORK = f"{PREFIX}0/24"
SWITCH = "switch"
# How much a slow cable takes on while it is busy; what is beyond is dropped, and TCP slows down.
BURST, WAITS = "16kb", "500ms"


@dataclass(frozen=True)
class Host:
    """A host: `enter` begins the commands that run on it, `cable` is its end at the switch."""

    name: str
    address: str
    enter: tuple[str, ...]
    cable: str


@dataclass
class Network:
    """Hosts by name, and the switch between them."""

    supervisor: Supervisor
    hosts: dict[str, Host] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _run("ip", "link", "set", "lo", "up")
        _run("ip", "link", "add", SWITCH, "type", "bridge")
        _run("ip", "link", "set", SWITCH, "up")
        # What watches them all, the program itself, is at the switch.
        _run("ip", "address", "add", f"{PREFIX}254/24", "dev", SWITCH)

    def add(self, name: str) -> Host:
        """One more host, with its own network and a cable to the switch."""
        number = len(self.hosts) + 1
        process = f"host-{name}"
        self.supervisor.start(ChildSpec(process, ("unshare", "--net", "sleep", "infinity")))
        pid = self.supervisor.pid(process)
        while Path(f"/proc/{pid}/ns/net").readlink() == Path("/proc/self/ns/net").readlink():
            self.supervisor.pause(0.02)
        enter = ("nsenter", f"--net=/proc/{pid}/ns/net", "--")
        host = Host(name, f"{PREFIX}{number}", enter, f"cable{number}")
        ends = ("ip", "link", "add", host.cable, "type", "veth", "peer", "eth0", "netns", str(pid))
        _run(*ends)
        _run("ip", "link", "set", host.cable, "master", SWITCH, "up")
        _run(*enter, "ip", "address", "add", f"{host.address}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            _run(*enter, "ip", "link", "set", device, "up")
        self.hosts[name] = host
        return host

    @contextmanager
    def cut(self, name: str) -> Iterator[None]:
        """A host's cable is out of the switch: all that is sent is lost in silence, both ways."""
        cable = self.hosts[name].cable
        _run("ip", "link", "set", cable, "nomaster")
        try:
            yield
        finally:
            _run("ip", "link", "set", cable, "master", SWITCH)

    @contextmanager
    def slow(self, name: str, rate: str) -> Iterator[None]:
        """A host's cable carries so much, such as "256kbit" a second, each way."""
        host = self.hosts[name]
        ends = (((), host.cable), (host.enter, "eth0"))
        limit = ("tbf", "rate", rate, "burst", BURST, "latency", WAITS)
        for enter, device in ends:
            _run(*enter, "tc", "qdisc", "add", "dev", device, "root", *limit)
        try:
            yield
        finally:
            for enter, device in ends:
                _run(*enter, "tc", "qdisc", "del", "dev", device, "root")


def names_for(folder: Path, names: dict[str, tuple[str, ...]]) -> None:
    """Lets all hosts know these names, each with several addresses. Only in a namespace of mounts
    of one's own."""
    lines = ["127.0.0.1 localhost"]
    lines += [f"{address} {name}" for name, found in names.items() for address in found]
    file = folder / "hosts"
    file.write_text("\n".join(lines) + "\n")
    _run("mount", "--bind", str(file), "/etc/hosts")


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
