"""Landlock as a sandbox: for machines that let nobody make namespaces, such as most containers.

The spec sees the names of files, and that there are other processes; it can read none of those,
nor open a connection, nor signal anybody (`arena.hosting.sandbox.landlock`,
`arena.hosting.sandbox.seccomp`).
"""

from __future__ import annotations

from dataclasses import dataclass

from arena.base.errors import Unavailable
from arena.hosting.sandbox import landlock, python
from arena.hosting.sandbox.sandbox import Command, Entry, ProcessSpec, environment


@dataclass(frozen=True, slots=True)
class Confined:
    """`user`: whom the spec is, where root starts it."""

    user: int | None = None
    name: str = "landlock"

    def command(self, spec: ProcessSpec) -> Command:
        if not landlock.version():
            raise Unavailable("This kernel has no Landlock, or it is switched off.")
        shown = python.without_nested((*python.needed(), *spec.readable, spec.folder))
        if self.user is not None and (closed := python.unreadable(shown)) is not None:
            raise Unavailable(
                f"Only some users may look into {closed}, and a bot is none of them: install"
                " Python and the arena where all may read them."
            )
        entry = Entry(user=self.user, landlock=tuple(str(path) for path in shown), own_session=True)
        return Command(
            python.command_line(),
            entry,
            environment=environment(spec),
            folder=str(spec.folder),
        )
