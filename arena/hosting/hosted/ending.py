"""How a process ended, as a sentence for its author."""

from __future__ import annotations

import os
import signal

from arena.hosting.hosted.explained import hint, telling, without_folders
from arena.hosting.hosted.fork_server import Ended
from arena.hosting.hosted.process import Process
from arena.hosting.hosted.program import Program

# Why the arena ends processes for reasons of its own.
NO_ROOM = "It was ended to make room for another match."
IDLE = "It was stopped because it was idle."
LET_GO = "The host let go of the bot; its matches go on at the next one."
HOUSEKEEPING = frozenset((NO_ROOM, IDLE, LET_GO))


def sentence(process: Process, ended: Ended, program: Program) -> str:
    """The end of a process, its error, and a hint if there is one."""
    if ended.reason:
        return f"The process could not be started: {ended.reason}."
    if process.killed_because and (process.ready or process.killed_because in HOUSEKEEPING):
        return process.killed_because
    what = process.killed_because or f"The process {_how(ended.status)}."
    if process.output.flooded:
        return f"{what} It wrote more than {process.output.most:,} bytes, and could write no more."
    written = without_folders(program, process.output.text)
    error, advice = telling(written), hint(program, written)
    return " ".join(filter(None, (what, error and f"It wrote: {error}", advice)))


def is_ours(process: Process, ended: Ended) -> bool:
    """Whether it ended, or never began, by what is no concern of the bot: nothing is charged."""
    if process.killed_because:
        return False
    killed = os.WIFSIGNALED(ended.status) and os.WTERMSIG(ended.status) == signal.SIGKILL
    return bool(ended.reason) or killed


def _how(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"was ended by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"ended with status {os.waitstatus_to_exitcode(status)}"
