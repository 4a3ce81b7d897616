"""The report of a hosted bot's process, for the author."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arena.hosting.hosted.explained import without_folders
from arena.hosting.hosted.parts import LogPart
from arena.hosting.hosted.program import Program
from arena.hosting.hosted.split import Purpose


@dataclass(frozen=True, slots=True)
class Report:
    """How a process ran and ended."""

    purpose: Purpose | None  # None: it never got a match
    began: float  # Unix seconds
    cpu_s: float
    wall_s: float  # for which it held decisions
    memory_kb: int
    ending: str  # the reason; "" if it exited normally after its match
    output: str
    parts: tuple[LogPart, ...] = ()  # of the output, by decision

    def without_folders(self, program: Program) -> Report:
        """Return the report with the host's folders removed from the output."""
        parts = [replace(part, text=without_folders(program, part.text)) for part in self.parts]
        return replace(self, output="".join(part.text for part in parts), parts=tuple(parts))
