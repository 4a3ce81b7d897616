"""Starts the arena's programs as forks of a process that has imported them, like `arena up`.

This saves the imports of each program.
"""

import atexit
import faulthandler
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Thread
from typing import IO, Any

from arena.base import gc_tuning

# In addition to the modules that `arena up` preloads. They import the Prometheus library, which
# chooses its storage on import, so start programs that serve metrics with `subprocess`.
MODULES = (
    "alembic.command",
    "arena.cli.demo",
    "arena.cli.up",
    "arena.service.gateway.server",
    "arena.service.host.serve",
    "dashboard",
)
# Before any test has changed them.
VARIABLES = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
MOST_BYTES = 1 << 17  # of a program's arguments and variables


def start(
    module: str,
    *words: str,
    env: Mapping[str, str],
    cwd: Path | None = None,
    output: IO[Any] | None = None,
) -> subprocess.Popen[str]:
    """Starts `python -P -m MODULE WORDS` in a new session, with an empty stdin.

    Its stdout and stderr go to `output`, or else both to `stdout` of the result. It gets `env` and
    this process's variables except ARENA_*. On Linux, a program that is awaited in vain is killed
    and shows where its threads were.
    """
    command, folder = (sys.executable, "-P", "-m", module, *words), cwd or Path.cwd()
    if sys.platform == "linux":
        return Nursed(command, env, folder, output)
    return subprocess.Popen(
        command,
        env=VARIABLES | env,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=output or subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


class Nursed(subprocess.Popen[str]):
    """A program started by the nursery, which reports its id and exit status."""

    def __init__(
        self,
        command: tuple[str, ...],
        env: Mapping[str, str],
        folder: Path,
        output: IO[Any] | None,
    ) -> None:
        self.args = command
        self.returncode: int | None = None
        self.stdin = self.stdout = self.stderr = None
        self._told, tell = _message_sockets()
        if output is None:
            read, write = os.pipe()
            self.stdout = os.fdopen(read)
        else:
            write = os.dup(output.fileno())
        request = json.dumps((command, dict(env), str(folder))).encode()
        nursery, requests = _nursery()
        socket.send_fds(requests, [request], [write, tell.fileno()])
        os.close(write)
        tell.close()
        if not (told := self._told.recv(100)):
            raise RuntimeError(f"The nursery has ended. {nursery.communicate()[0]}")
        self.pid = int(told)

    def poll(self) -> int | None:
        try:
            return self._await_status(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        try:
            return self._await_status(timeout)
        except subprocess.TimeoutExpired as late:
            raise self._killed(late, self.stdout) from None

    def _await_status(self, timeout: float | None) -> int:
        if self.returncode is None:
            self._told.settimeout(timeout)
            try:
                self.returncode = int(self._told.recv(100))
            except (TimeoutError, BlockingIOError):
                raise subprocess.TimeoutExpired(self.args, timeout or 0) from None
            self._told.close()
        return self.returncode

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it ends just now
                os.kill(self.pid, sig)

    def communicate(
        self, input: str | None = None, timeout: float | None = None
    ) -> tuple[str, str]:
        until = None if timeout is None else time.monotonic() + timeout
        said: list[str] = []
        if (stream := self.stdout) and not stream.closed:
            reader = Thread(target=lambda: said.append(stream.read()), daemon=True)
            reader.start()
            reader.join(timeout)
            if reader.is_alive():
                late = self._killed(subprocess.TimeoutExpired(self.args, timeout or 0))
                reader.join(1)
                late.add_note("".join(said))
                stream.close()
                raise late
            stream.close()
        self.wait(until and max(0.0, until - time.monotonic()))
        return "".join(said), ""

    def _killed(
        self, late: subprocess.TimeoutExpired, output: IO[str] | None = None
    ) -> subprocess.TimeoutExpired:
        """Makes the program and its forks write where their threads are, and kills them."""
        ended = self.poll()
        mine = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if self._has(pid)]
        for number in (signal.SIGUSR2, signal.SIGKILL):
            for pid in mine:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
            time.sleep(0.5)
        self.poll()
        late.add_note(f"Exit status: {ended}. Left in its session {self.pid}: {mine}.")
        if output and not output.closed:
            late.add_note(output.read())
            output.close()
        return late

    def _has(self, pid: int) -> bool:
        with suppress(ProcessLookupError):
            return os.getsid(pid) == self.pid
        return False


@cache
def _nursery() -> tuple[subprocess.Popen[str], socket.socket]:
    """The nursery's process, which ends with this one, and the socket for requests."""
    ours, theirs = _message_sockets()
    nursery = subprocess.Popen(
        [sys.executable, "-P", __file__, str(theirs.fileno())],
        env=VARIABLES | {"GRPC_VERBOSITY": "NONE"},  # like `arena` before it imports gRPC
        stdin=subprocess.DEVNULL,
        # Not a file: programs replace this output by pipes, and Python would still try to seek.
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        pass_fds=[theirs.fileno()],
    )
    theirs.close()
    atexit.register(_end, nursery, ours)
    return nursery, ours


def _end(nursery: subprocess.Popen[str], requests: socket.socket) -> None:
    requests.close()
    nursery.communicate()


def _message_sockets() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _tell(descriptor: int, number: int) -> None:
    with suppress(BrokenPipeError):  # the test has ended
        os.write(descriptor, str(number).encode())


def serve(requests: socket.socket) -> None:
    """Forks a program for each request; replies with its id and, later, its exit status."""
    from setproctitle import setproctitle

    from arena.operations.supervise.fork import PRELOADED, fork, preload

    faulthandler.register(signal.SIGUSR2)  # programs inherit it
    setproctitle("the nursery of tests")  # must happen before variables change
    preload((*MODULES, *PRELOADED))
    events = selectors.DefaultSelector()
    events.register(requests, selectors.EVENT_READ)
    while True:
        for key, _ in events.select():
            if key.fileobj is not requests:
                program, tell = key.data
                _tell(tell, program.wait())
                events.unregister(key.fileobj)
                for descriptor in (key.fd, tell):
                    os.close(descriptor)
                continue
            request, descriptors, _, _ = socket.recv_fds(requests, MOST_BYTES, 2)
            if not request:
                return
            output, tell = descriptors
            command, env, folder = json.loads(request)
            os.chdir(folder)
            program = fork(tuple(command), env, output)
            _tell(tell, program.pid)
            events.register(os.pidfd_open(program.pid), selectors.EVENT_READ, (program, tell))
            os.close(output)


if __name__ == "__main__":
    gc_tuning.begin()
    serve(socket.socket(fileno=int(sys.argv[1])))
