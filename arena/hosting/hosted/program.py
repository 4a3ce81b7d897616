"""A bot's program as a host runs it, and its limits."""

import importlib.metadata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from arena.base.errors import InvalidRequest
from arena.hosting.sandbox.control_group import ControlGroup
from arena.hosting.sandbox.sandbox import ProcessSpec, SandboxLimits

PACKAGE = Path(__file__).parents[2]
SDK_NEEDS = ("protobuf",)


@dataclass(frozen=True, slots=True)
class Program:
    """A built bot in its folder."""

    folder: Path
    entry: str = ""  # FILE.py:CLASS
    command: tuple[str, ...] = ()  # or a program with its arguments
    packages: tuple[str, ...] = ()  # installed packages that it may import
    executable: Path | None = None  # if the command is a program of the host
    environment: Mapping[str, str] = field(default_factory=dict)  # of its processes
    key: bytes = b""
    name: str = "bot"  # for sentences
    version: str = "1"

    def spec(self) -> ProcessSpec:
        """Return the spec of its sandbox. Raises InvalidRequest if a package is not installed."""
        packages = self._installed()
        executables = (self.executable,) if self.executable else ()
        return ProcessSpec(
            main="",
            arguments={
                "entry": self.entry,
                "command": list(self.command),
                "key": self.key.hex(),
                "environment": dict(self.environment),
            },
            folder=self.folder,
            readable=(PACKAGE, *packages, *executables),
            path=tuple(dict.fromkeys((PACKAGE.parent, *(part.parent for part in packages)))),
        )

    def places(self) -> set[Path]:
        """Return the folders in which its packages are installed."""
        return {part.parent for part in self._installed()}

    def _installed(self) -> list[Path]:
        return [part for name in (*SDK_NEEDS, *self.packages) for part in installed(name)]


@dataclass(frozen=True, slots=True)
class Allowance:
    """Limits of each process of a bot."""

    limits: SandboxLimits = field(default_factory=SandboxLimits)
    start_cpu_s: float = 10.0  # until it says Hello
    # Waiting without computing: until it says Hello, and while a match waits for it.
    waiting_s: float = 10.0
    idle_s: float = 60.0  # after which an idle sandbox is stopped
    most_processes: int = 64
    most_output: int = 1 << 20  # bytes of output
    group: ControlGroup | None = None  # shared with other bots


@lru_cache(maxsize=64)
def installed(name: str) -> tuple[Path, ...]:
    """Return the top-level files and folders of an installed package. Raises InvalidRequest."""
    try:
        distribution = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        raise InvalidRequest(f"The package {name} is not installed on this host.") from None
    files = distribution.files or ()
    tops = {file.parts[0] for file in files if file.parts[0] not in ("..", "__pycache__")}
    places = (Path(str(distribution.locate_file(top))).resolve() for top in sorted(tops))
    return tuple(place for place in places if place.exists())
