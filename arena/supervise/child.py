"""One supervised process: how it is started, how it is ended."""

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

from arena.supervise import guardian, tether

LOG_KEPT = 10_000_000  # bytes of a log at which a fresh one is begun, the old one kept beside it


@dataclass(frozen=True)
class ChildSpec:
    """What to run. `ready` says whether it does its work; without it, running is enough."""

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    ready: Callable[[], bool] | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    # The others need it to end in good order: it is stopped when they are gone.
    stops_last: bool = False


class Child:
    """A process that runs, or ran. Its process group has the id of the process."""

    def __init__(self, spec: ChildSpec, log: Path) -> None:
        self.spec = spec
        self.log = log
        self.started = 0.0
        self.group = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._status = 0

    def start(self) -> int:
        """Starts it in a session of its own, tied to this process; returns its group."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        begin_new_log_when_long(self.log)
        with self.log.open("ab") as log:
            process = subprocess.Popen(  # noqa: S603 - commands are our own
                [sys.executable, "-I", "-S", tether.__file__, str(os.getpid()), *self.spec.command],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **self.spec.env},
                # Ctrl-C in the terminal then reaches the supervisor only.
                start_new_session=True,
            )
        self.started = time.monotonic()
        self._process, self.group = process, process.pid
        # One that is gone already is noticed as any other death.
        with suppress(BrokenPipeError), process.stdin or nullcontext() as pipe:
            if pipe is not None:
                pipe.write(self.spec.stdin)
        return self.group

    @property
    def running(self) -> bool:
        """Whether the process itself lives."""
        return self._process is not None and self._process.poll() is None

    def ask_to_stop(self) -> None:
        """Sends the process its stop signal; what it started is its own business."""
        if self._process is not None:
            self._process.send_signal(self.spec.stop_signal)

    def kill(self) -> None:
        """Kills the process and all it started, at once. The number of a group is not given
        anew while it has a member, so what is hit is ours."""
        if self._process is not None:
            guardian.send(self.group, signal.SIGKILL)

    def clear_up(self) -> None:
        """Kills the process, if it lives, and what it left running in its group."""
        if self._process is not None:
            self.kill()
            self._status = self._process.wait()
            self._process = None

    def how_it_ended(self) -> str:
        """E.g. "was ended by SIGKILL" or "ended with status 1"."""
        if self._status < 0:
            return f"was ended by {signal.Signals(-self._status).name}"
        return f"ended with status {self._status}"

    def last_words(self, lines: int = 8) -> str:
        """The end of its log."""
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - 8192))
            return "\n".join(log.read().decode(errors="replace").splitlines()[-lines:])


def begin_new_log_when_long(log: Path) -> None:
    """Moves a log of more than `LOG_KEPT` bytes to NAME.log.1."""
    if log.exists() and log.stat().st_size > LOG_KEPT:
        log.replace(log.with_name(log.name + ".1"))
