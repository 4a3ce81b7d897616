"""Landlock as a sandbox: for machines without unprivileged namespaces, such as most containers.

The sandbox can see the names of files and other processes. It cannot read them, open a connection
or send a signal (`arena.hosting.sandbox.landlock`, `arena.hosting.sandbox.seccomp`).
"""

from __future__ import annotations

from dataclasses import dataclass

from arena.base.errors import Unavailable
from arena.hosting.sandbox import landlock, python
from arena.hosting.sandbox.sandbox import Command, EnterInstructions, ProcessSpec, environment


@dataclass(frozen=True, slots=True)
class Confined:
    """`user`: the user inside, if root starts the sandbox."""

    user: int | None = None
    name: str = "landlock"

    def command(self, spec: ProcessSpec) -> Command:
        if not landlock.version():
            raise Unavailable("This kernel has no Landlock, or it is disabled.")
        shown = python.without_nested((*python.needed(), *spec.readable, spec.folder))
        if self.user is not None and (closed := python.unreadable(shown)) is not None:
            raise Unavailable(
                f"{closed} is not world-readable, so hosted bots cannot use it. Install Python and"
                " the arena in a world-readable directory."
            )
        entry = EnterInstructions(
            user=self.user, landlock=tuple(str(path) for path in shown), own_session=True
        )
        return Command(
            python.command_line(),
            entry,
            environment=environment(spec),
            folder=str(spec.folder),
        )
