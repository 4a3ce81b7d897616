"""End the processes of a command with the command, even if it was killed."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import Self

from arena.base import reaper


class Reaper:
    """Context manager for process groups that end with this process. See `arena.base.reaper`. On
    Windows, where there are no process groups, it does nothing."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        if os.name == "posix":
            self._process = subprocess.Popen(  # noqa: S603 - our own script
                [sys.executable, "-I", "-S", reaper.__file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                process_group=0,  # it outlives our own group
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait()

    def watch(self, group: int) -> None:
        """End this process group with this process."""
        self._say(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Stop watching a group that has ended, because its number may be reused."""
        self._say(f"-{group}\n")

    def _say(self, line: str) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            with suppress(OSError):  # it was killed
                self._process.stdin.write(line.encode())
                self._process.stdin.flush()


def signal_group(leader: int, number: signal.Signals) -> None:
    """Send a signal to a process and its group, if they exist."""
    if os.name != "posix":
        number = signal.SIGTERM
    else:
        reaper.send(leader, number)
    with suppress(OSError):  # it may not lead its group yet
        os.kill(leader, number)


def end_group(leader: int) -> None:
    """Kill the members of a group whose leader has ended."""
    if os.name == "posix":
        reaper.send(leader, signal.SIGKILL)
