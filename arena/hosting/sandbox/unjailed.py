"""No jail at all: for bots of one's own, where somebody insists (`--unsafe`)."""

from __future__ import annotations

from dataclasses import dataclass

from arena.hosting.sandbox import python
from arena.hosting.sandbox.jail import Command, Entry, Inmate, environment


@dataclass(frozen=True, slots=True)
class Unjailed:
    """Limits and the filter of system calls are kept; files can be read as by this process."""

    name: str = "none"

    def command(self, inmate: Inmate) -> Command:
        return Command(
            python.command_line(),
            Entry(own_session=True),
            environment=environment(inmate),
            folder=str(inmate.folder),
        )
