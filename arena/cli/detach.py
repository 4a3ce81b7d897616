"""`arena up --detach` and `arena down`: start and stop an arena in the background."""

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
from arena.cli.where import folder_option
from arena.operations.supervise.child import python
from arena.operations.supervise.signals import Interrupted, StopSignals
from arena.service.bootstrap import load_settings

POLL_S = 0.1
CHUNK = 65536  # bytes
STOP_WITHIN_S = 30.0  # the supervisor kills its processes after eight seconds
FAILED = 1
STOPPING = (signal.SIGINT, signal.SIGTERM)  # not SIGHUP, which a closed terminal sends


def start_detached(options: Sequence[str]) -> int:
    """Run `arena up` with these options in a new session. A closed terminal does not stop it.

    Returns 0 when the arena is ready, else the exit status of that process, which prints its own
    errors. On Ctrl-C, ends the process and raises Interrupted.
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
    process.returncode = 0  # it keeps running; suppresses a ResourceWarning
    return 0


def _is_ready(ready: IO[bytes], outputs: Mapping[IO[bytes], int]) -> bool:
    """Whether the process is ready or has ended. Prints its output until then."""
    found, _, _ = select.select([ready, *outputs], [], [], POLL_S)
    printed = [_relay(stream, outputs[stream]) for stream in found if stream is not ready]
    return ready in found and not any(printed)


def _relay(stream: IO[bytes], place: int) -> bytes:
    """Print and return the next output; empty at its end. Ignores a closed stdout."""
    output = os.read(stream.fileno(), CHUNK)
    with suppress(BrokenPipeError):
        os.write(place, output)
    return output


def _spawn(options: Sequence[str], ready: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own command
        [*python("arena.cli", "up"), *options, f"--ready-fd={ready}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=[ready],
        start_new_session=True,
    )


def _status(status: int) -> int:
    """Return the exit status of a process that was never ready; never 0."""
    return 128 - status if status < 0 else status or FAILED


def report_ready(ready: int, log: Path) -> None:
    """Signal readiness to the command that started this process, and redirect output to the log."""
    sys.stdout.flush()
    sys.stderr.flush()
    with log.open("ab") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    with suppress(BrokenPipeError), open(ready, "wb") as pipe:  # the command may have ended
        pipe.write(b"ready")


@click.command()
@folder_option("Folder of a local arena.  [default: ARENA_DATA or .arena]")
def down(data: Path | None) -> None:
    """Stop a running arena and wait until it has ended.

    This has the same effect as Ctrl-C. Tournaments continue at the next start.

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
    say(f"The arena in {data} has stopped. Its data is kept.")


def _terminate(pid: int, data: Path) -> None:
    """Stop the process. Raises Unavailable if this command cannot reach it."""
    if not _has_locked(pid, data):
        raise Unavailable(
            f"The arena in {data} cannot be stopped from here. It belongs to another user or runs "
            "in a container. Stop it where it was started."
        )
    with suppress(ProcessLookupError):  # its last processes are ending
        os.kill(pid, signal.SIGTERM)


def _has_locked(pid: int, data: Path) -> bool:
    """Whether the process has the folder's lock open. Process ids differ in a container."""
    if pid <= 0 or sys.platform != "linux":
        return pid > 0
    try:
        descriptors = list(Path(f"/proc/{pid}/fd").iterdir())
    except FileNotFoundError:
        return True  # it has ended, and its children are ending
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
