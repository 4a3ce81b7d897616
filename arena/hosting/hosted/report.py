"""Reports for authors: how the processes of a hosted bot ran and ended."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, replace

from arena.base.text import how_ended
from arena.hosting.hosted.explained import hint, telling, without_folders
from arena.hosting.hosted.fork_server import Ended
from arena.hosting.hosted.output import LogPart
from arena.hosting.hosted.process import Process
from arena.hosting.hosted.program import Program
from arena.hosting.hosted.split import Purpose

# Endings that are not the bot's doing.
NO_ROOM = "It was stopped to make room for another match."
IDLE = "It was stopped because it was idle."
LET_GO = "The host released the bot. Its matches continue on another host."
# Of the bot's doing.
STAYED = "It did not exit after its match, and was ended."
HOUSEKEEPING = frozenset((NO_ROOM, IDLE, LET_GO))


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


def sentence(process: Process, ended: Ended, program: Program) -> str:
    """Return how a process ended, its error, and a hint if there is one."""
    if ended.reason:
        return f"The process could not be started: {ended.reason}."
    if process.killed_because and (process.ready or process.killed_because in HOUSEKEEPING):
        return process.killed_because
    what = (
        process.killed_because
        or f"The process {how_ended(os.waitstatus_to_exitcode(ended.status))}."
    )
    if process.output.flooded:
        return f"{what} It wrote more than {process.output.most:,} bytes of output, the limit."
    written = without_folders(program, process.output.text)
    error, advice = telling(written), hint(program, written)
    return " ".join(filter(None, (what, error and f"It wrote: {error}", advice)))


def is_ours(process: Process, ended: Ended) -> bool:
    """Return whether the arena is to blame for the end, or the missing start, of a process."""
    if process.killed_because:
        return False
    killed = os.WIFSIGNALED(ended.status) and os.WTERMSIG(ended.status) == signal.SIGKILL
    return bool(ended.reason) or killed
