"""One supervised process: starting it and ending it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from arena.base import reaper
from arena.kit.main import ERROR, FAILED
from arena.operations.supervise import parent_death
from arena.operations.supervise.fork import Forked, can_fork, fork

MOST_CHARACTERS = 500  # of an error


@dataclass(frozen=True)
class ChildSpec:
    """What to run. `ready` checks that it is working; without it, a running process is ready.

    What `forks` is a module of ours that may run in a fork of this process, if this one can fork;
    `database` says whether it opens one. A command that begins with another program does not fork.
    """

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    ready: Callable[[], bool] | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    # The others need it to shut down cleanly, so it is stopped after them.
    stops_last: bool = False
    forks: bool = False
    database: bool = True
    optional: bool = False  # without it the arena still plays tournaments

    @property
    def may_fork(self) -> bool:
        """Whether it may run in a fork: this would leave out what stands before the module."""
        if not self.forks or self.command[0] != sys.executable:
            return False
        return can_fork(database=self.database)


class Child:
    """A process that runs or ran. Its process group id equals its process id."""

    def __init__(self, spec: ChildSpec, log: Path) -> None:
        self.spec = spec
        self.log = log
        self.started = 0.0
        self.group = 0
        self._process: subprocess.Popen[bytes] | Forked | None = None
        self._status = 0
        self._began = 0  # where in the log its lines begin

    def start(self) -> int:
        """Starts it in a new session, tied to this process; returns its process group."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._began = log.tell()
            if self.spec.may_fork:
                self._process = fork(self.spec.command, self.spec.env, log.fileno())
            else:
                self._process = self._spawn(log)
        self.started = time.monotonic()
        self.group = self._process.pid
        return self.group

    def _spawn(self, log: IO[bytes]) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(  # noqa: S603 - commands are our own
            [
                sys.executable,
                "-I",
                "-S",
                parent_death.__file__,
                str(os.getpid()),
                *self.spec.command,
            ],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **self.spec.env},
            # So that Ctrl-C in the terminal reaches only the supervisor.
            start_new_session=True,
        )
        # If it has already died, the supervisor notices as with any other death.
        with suppress(BrokenPipeError), process.stdin or nullcontext() as pipe:
            if pipe is not None:
                pipe.write(self.spec.stdin)
        return process

    @property
    def running(self) -> bool:
        """Whether the process itself is alive."""
        return self._process is not None and self._process.poll() is None

    def ask_to_stop(self) -> None:
        """Sends the process its stop signal; it must stop its own children."""
        if self._process is not None:
            self._process.send_signal(self.spec.stop_signal)

    def kill(self) -> None:
        """Kills the process and everything it started, at once.

        The kernel does not reuse a group id while the group has a member, so this cannot hit
        another program.
        """
        if self._process is not None:
            reaper.send(self.group, signal.SIGKILL)

    def clear_up(self) -> None:
        """Kills the process if it is alive, and whatever still runs in its group."""
        if self._process is not None:
            self.kill()
            self._status = self._process.wait()
            self._process = None

    @property
    def reported(self) -> bool:
        """Whether it ended with an error of the arena's, such as a database that is away."""
        return self._status == FAILED

    def last_error(self) -> str:
        """The last sentence that it wrote: an error, or the last line of a traceback; "" if it
        wrote nothing."""
        size = self.log.stat().st_size
        with self.log.open("rb") as log:
            # The log may have been emptied meanwhile.
            log.seek(max(self._began if self._began <= size else 0, size - 8192))
            lines = [line.strip() for line in log.read().decode(errors="replace").splitlines()]
        errors = [line for line in lines if line.startswith(ERROR)]
        last = next((line for line in reversed(errors or lines) if line), "")
        return last.removeprefix(ERROR)[:MOST_CHARACTERS]

    def how_it_ended(self) -> str:
        """For example "was ended by SIGKILL" or "ended with status 1"."""
        if self._status < 0:
            return f"was ended by {signal.Signals(-self._status).name}"
        return f"ended with status {self._status}"

    def last_words(self, lines: int = 8) -> str:
        """The last lines of its log."""
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - 8192))
            return "\n".join(log.read().decode(errors="replace").splitlines()[-lines:])
