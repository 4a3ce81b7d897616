"""No sandbox, for your own bots (`--unsafe`)."""

from __future__ import annotations

from dataclasses import dataclass

from arena.hosting.sandbox import python
from arena.hosting.sandbox.sandbox import Command, EnterInstructions, ProcessSpec, environment


@dataclass(frozen=True, slots=True)
class Unconfined:
    """Applies limits and the seccomp filter, but files are readable as by this process."""

    name: str = "none"

    def command(self, spec: ProcessSpec) -> Command:
        return Command(
            python.command_line(),
            EnterInstructions(own_session=True),
            environment=environment(spec),
            folder=str(spec.folder),
        )
