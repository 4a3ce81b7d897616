"""An arena in the background: `arena up --detach` and `arena down`."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO

import click

from arena.base import folder
from arena.base.errors import NotFound, Unavailable
from arena.cli.screen import say
from arena.operations.supervise import stack
from arena.operations.supervise.signals import Interrupted, StopSignals
from arena.service.bootstrap import load_settings

POLL_S = 0.1
CHUNK = 65536  # bytes
STOP_WITHIN_S = 30.0  # a supervisor kills what has not ended after eight seconds
FAILED = 1
STOPPING = (signal.SIGINT, signal.SIGTERM)  # a terminal that is closed sends SIGHUP


def start_detached(options: Sequence[str]) -> int:
    """Runs `arena up` with these options as a process in a session of its own.

    Returns 0 when the arena is ready, else the exit status of that process, which prints its own
    errors. Raises Interrupted on Ctrl-C, when the process has ended. A closed terminal does not
    stop it.
    """
    started: list[subprocess.Popen[bytes]] = []

    def kill() -> None:
        for each in started:
            each.kill()

    read, write = os.pipe()
    with ExitStack() as opened:
        ready = opened.enter_context(open(read, "rb"))
        signals = opened.enter_context(StopSignals(kill, STOPPING))
        process = _spawn(options, write)
        started.append(process)
        os.close(write)
        pipes = process.stdout, process.stderr
        outputs = {opened.enter_context(pipe): place for place, pipe in enumerate(pipes, 1) if pipe}
        try:
            while not _is_ready(ready, outputs):
                signals.check()
        except Interrupted:
            process.terminate()
            process.wait()
            _is_ready(ready, outputs)
            raise
        if not ready.read():
            return _status(process.wait())
    process.returncode = 0  # it runs on, so there is nothing to wait for
    return 0


def _is_ready(ready: IO[bytes], outputs: Mapping[IO[bytes], int]) -> bool:
    """Whether the process is ready or has ended. Prints its output until then."""
    found, _, _ = select.select([ready, *outputs], [], [], POLL_S)
    said = [_relay(stream, outputs[stream]) for stream in found if stream is not ready]
    return ready in found and not any(said)


def _relay(stream: IO[bytes], place: int) -> bytes:
    """Prints and returns the next output, even if it cannot be written; empty at its end."""
    said = os.read(stream.fileno(), CHUNK)
    with suppress(BrokenPipeError):
        os.write(place, said)
    return said


def _spawn(options: Sequence[str], ready: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own command
        [*stack.python("arena.cli", "up"), *options, f"--ready-fd={ready}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=[ready],
        start_new_session=True,
    )


def _status(status: int) -> int:
    """The exit status of a process that was never ready; it did not succeed in any case."""
    return 128 - status if status < 0 else status or FAILED


def report_ready(ready: int, log: Path) -> None:
    """Tells the command that started this process, which from now on writes to its log."""
    sys.stdout.flush()
    sys.stderr.flush()
    with log.open("ab") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    with suppress(BrokenPipeError), open(ready, "wb") as pipe:  # the command has ended
        pipe.write(b"ready")


@click.command()
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the arena.  [default: ARENA_DATA or .arena]",
)
def down(data: Path | None) -> None:
    """Stop the arena that runs in a folder, and wait until it has ended.

    It stops as on Ctrl-C: tournaments continue when the arena is started again.

    \b
    Example:
      arena up --detach
      arena down
    """
    data = load_settings(data=data).data
    held = folder.holder(data)
    if held is None:
        raise NotFound(f"No arena is running in {data}. Choose another folder with --data.")
    _terminate(held.pid, data)
    _await_end(held.pid, data)
    say(f"The arena in {data} has stopped. Its data stays.")


def _terminate(pid: int, data: Path) -> None:
    """Raises Unavailable if the process is not one that this command can stop."""
    if not _has_locked(pid, data):
        raise Unavailable(
            f"The arena in {data} cannot be stopped from here. It belongs to another user, or it "
            "runs in a container. Stop it where it was started."
        )
    with suppress(ProcessLookupError):  # its last processes are ending
        os.kill(pid, signal.SIGTERM)


def _has_locked(pid: int, data: Path) -> bool:
    """Whether the process has the folder's lock open: in a container, ids have other meanings."""
    if pid <= 0 or sys.platform != "linux":
        return pid > 0
    try:
        descriptors = list(Path(f"/proc/{pid}/fd").iterdir())
    except FileNotFoundError:
        return True  # it has ended, and what it started is ending
    except PermissionError:
        return False
    for each in descriptors:
        with suppress(OSError):  # closed meanwhile
            if os.path.samefile(each, data / "lock"):
                return True
    return False


def _await_end(pid: int, data: Path) -> None:
    deadline = time.monotonic() + STOP_WITHIN_S
    while folder.holder(data):
        if time.monotonic() > deadline:
            raise Unavailable(
                f"The arena in {data} has not stopped within {STOP_WITHIN_S:g} s. "
                f"End its process with `kill -9 {pid}`."
            )
        time.sleep(POLL_S)
