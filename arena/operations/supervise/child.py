"""One supervised process, and its log.

Several processes share a log, and some of its lines come from libraries in C, or from Redis. So no
process of ours can rotate it by opening another file. Instead the supervisor copies a long log and
empties it. Its writers append, so they go on at its new end. Lines that are written between the two
steps are lost.
"""

import fcntl
import os
import shutil
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
from arena.base.text import how_ended
from arena.kit.main import ERROR, FAILED
from arena.operations.supervise import parent_death
from arena.operations.supervise.fork import Forked, can_fork, fork

MOST_CHARACTERS = 500  # of an error
MAX_LOG_BYTES = 10_000_000


def python(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command for a module. -P ignores modules in the current folder."""
    return (sys.executable, "-P", "-m", module, *arguments)


@dataclass(frozen=True)
class ChildSpec:
    """A command to run. Without `ready`, a running process counts as ready.

    A command with `forks` is a module of the arena that may run in a fork of this process.
    `database` states whether it opens one.
    """

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    ready: Callable[[], bool] | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    stops_last: bool = False  # the others need it to shut down cleanly
    forks: bool = False
    database: bool = True
    optional: bool = False  # not needed to play tournaments

    @property
    def may_fork(self) -> bool:
        """Whether it may run in a fork, which would skip a wrapper before the module."""
        if not self.forks or self.command[0] != sys.executable:
            return False
        return can_fork(database=self.database)


class Child:
    """A process. Its process group id equals its process id."""

    def __init__(self, spec: ChildSpec, log: Path) -> None:
        self.spec = spec
        self.log = log
        self.started = 0.0
        self.group = 0
        self._process: subprocess.Popen[bytes] | Forked | None = None
        self._status = 0
        self._began = 0  # start of its lines in the log

    def start(self) -> int:
        """Start the process in a new session, tied to this process. Returns its process group."""
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
        # The supervisor notices if it has already died.
        with suppress(BrokenPipeError), process.stdin or nullcontext() as pipe:
            if pipe is not None:
                pipe.write(self.spec.stdin)
        return process

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def ask_to_stop(self) -> None:
        """Send the process its stop signal. It must stop its own children."""
        if self._process is not None:
            self._process.send_signal(self.spec.stop_signal)

    def kill(self) -> None:
        """Kill the process and its children at once. The kernel does not reuse a group id while the
        group has a member, so this cannot hit another program."""
        if self._process is not None:
            reaper.send(self.group, signal.SIGKILL)

    def clear_up(self) -> None:
        """Kill the process and everything else in its group."""
        if self._process is not None:
            self.kill()
            self._status = self._process.wait()
            self._process = None

    @property
    def reported(self) -> bool:
        """Whether it ended with an error of the arena, such as an unavailable database."""
        return self._status == FAILED

    def last_error(self) -> str:
        """Return the last error, or the last line of a traceback; "" without output."""
        size = self.log.stat().st_size
        with self.log.open("rb") as log:
            # The log may have been rotated meanwhile.
            log.seek(max(self._began if self._began <= size else 0, size - 8192))
            lines = [line.strip() for line in log.read().decode(errors="replace").splitlines()]
        errors = [line for line in lines if line.startswith(ERROR)]
        last = next((line for line in reversed(errors or lines) if line), "")
        return last.removeprefix(ERROR)[:MOST_CHARACTERS]

    def how_it_ended(self) -> str:
        """Return, for example, "was ended by SIGKILL" or "ended with status 1"."""
        return how_ended(self._status)

    def last_words(self, lines: int = 8) -> str:
        """Return the last lines of its log."""
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - 8192))
            return "\n".join(log.read().decode(errors="replace").splitlines()[-lines:])


def rotate_logs(folder: Path) -> None:
    """Copy each log of more than `MAX_LOG_BYTES` to NAME.log.1 and empty it.

    Only the end of a much longer log is copied: this process was suspended. Without room on the
    disk a log is emptied all the same, so logs never take more than they may.
    """
    for log in folder.glob("*.log"):
        with suppress(OSError):  # it was removed, or belongs to another user
            if log.stat().st_size > MAX_LOG_BYTES:
                _rotate(log)


def _rotate(log: Path) -> None:
    with log.open("rb+") as file:
        # Another supervisor may rotate logs in the same folder.
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        size = os.fstat(file.fileno()).st_size
        if size > MAX_LOG_BYTES:
            file.seek(size - MAX_LOG_BYTES)
            with suppress(OSError), log.with_name(log.name + ".1").open("wb") as copy:
                shutil.copyfileobj(file, copy)
            file.truncate(0)
