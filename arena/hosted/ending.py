"""How a process ended, as a sentence for its author."""

from __future__ import annotations

import os
import signal

from arena.hosted.fork_server import Ended
from arena.hosted.process import Process

# Why the arena ends processes for reasons of its own.
NO_ROOM = "It was ended to make room for another match."
NOTHING_TO_DO = "There was nothing to do."
LET_GO = "The host let go of the bot; its matches go on at the next one."
HOUSEKEEPING = frozenset((NO_ROOM, NOTHING_TO_DO, LET_GO))


def sentence(process: Process, ended: Ended) -> str:
    """What became of a process, and what it said last."""
    if ended.reason:
        return f"The process could not be started: {ended.reason}."
    if process.killed_because:
        return process.killed_because
    what = f"The process {_how(ended.status)}."
    if process.output.flooded:
        return f"{what} It wrote more than {process.output.most:,} bytes, and could write no more."
    last = process.output.last_line()
    return f"{what} It wrote last: {last}" if last else what


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
