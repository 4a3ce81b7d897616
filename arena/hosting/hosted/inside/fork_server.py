"""The fork server: imports the SDK once, and forks a process for each match.

It gets orders on a socket, with the descriptors of the process's connection and output, and reports
on it how each process ended. A process reports its own start, since the credentials of that message
tell the host its number outside the sandbox.
"""

import array
import errno
import gc
import io
import json
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, NoReturn

from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import GAMES
from arena.games.rules.game import MOST_SEATS
from arena.games.rules.packed import layout_of
from arena.games.rules.view import View
from arena.hosting.hosted.inside.match_process import MatchProcess, play
from arena.hosting.sandbox import enter, seccomp
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.bot import Bot

PACKAGE = (
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    + os.sep
)
INPUT, OUTPUT, ERRORS, CONNECTION = range(4)  # a process's descriptors
MOST_GIVEN = 3  # descriptors with an order
LARGEST_ORDER = 4096
HIGHEST_DESCRIPTOR = 1 << 20
MOST_THREADS = 4096  # of all processes of one user
NOT_STARTED = 126  # as of a shell


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of all processes; the arguments of `main`."""

    control: int  # the socket for orders
    entry: str = ""  # the class of a Python bot, as FILE.py:CLASS
    command: Sequence[str] = ()  # or a program, with arguments
    environment: Mapping[str, str] = field(default_factory=dict)  # variables of its processes
    key: str = ""  # hexadecimal; seeds `view.rng()`


def main(arguments: Mapping[str, Any]) -> None:
    """Serve until the host hangs up."""
    settings = Settings(**arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # so that output precedes the answer
    server = ForkServer(settings, socket.socket(fileno=settings.control))
    server.serve()


class ForkServer:
    """Forks processes, and reports how they ended."""

    def __init__(self, settings: Settings, control: socket.socket) -> None:
        self._settings = settings
        self._control = control
        self._numbers: dict[int, int] = {}  # of the orders, by process
        # Allocated before the first fork. A program's filter depends on its process.
        self._filter = seccomp.SeccompFilter(seccomp.BOT)
        _warm_up()

    def serve(self) -> None:
        """Take orders until the host hangs up."""
        ended, wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        gc.collect()
        gc.freeze()  # so that processes share this memory
        poll = select.poll()
        poll.register(ended, select.POLLIN)
        poll.register(self._control, select.POLLIN)
        self._tell({"ready": True})
        while True:
            ready = {descriptor for descriptor, _ in poll.poll()}
            if ended in ready:
                os.read(ended, 4096)
                self._reap()
            if self._control.fileno() in ready and not self._take_order():
                return

    def _tell(self, message: Mapping[str, Any]) -> None:
        self._control.send(json.dumps(message).encode())

    def _take_order(self) -> bool:
        """Carry out an order. Return False if the host hung up."""
        size = array.array("i").itemsize
        room = socket.CMSG_SPACE(MOST_GIVEN * size)
        data, ancillary, _, _ = self._control.recvmsg(LARGEST_ORDER, room)
        if not data:
            return False
        given = array.array("i")
        for _, _, content in ancillary:
            given.frombytes(content[: len(content) - len(content) % size])
        order = json.loads(data)
        try:
            process = os.fork()
        except OSError as error:
            self._tell({"failed": order["number"], "reason": str(error)})
        else:
            if not process:
                self._begin(order, given.tolist())
            self._numbers[process] = order["number"]
        for descriptor in given:
            os.close(descriptor)
        return True

    def _begin(self, order: Mapping[str, Any], given: Sequence[int]) -> NoReturn:
        """Run the forked process, which must never return to the loop of the fork server."""
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            enter.dies_with_parent()
            self._tell({"began": order["number"]})
            _arrange(given, is_program=bool(self._settings.command))
            if self._settings.command:
                enter.limit_writable_memory(order["address_space"])
            else:
                enter.limit_memory(order["address_space"])
            enter.limit(order["files"])
            # A program may have threads, which count as processes.
            enter.limit_processes(MOST_THREADS if self._settings.command else 0)
            status = self._run()
        except BaseException as error:  # including SystemExit
            status = _report(error)
        finally:
            with suppress(OSError, ValueError):  # the pipe may be closed on either side
                sys.stderr.flush()
                sys.stdout.flush()
            os._exit(status)

    def _run(self) -> int:
        settings = self._settings
        if settings.command:
            seccomp.SeccompFilter(seccomp.program_of(os.getpid())).install()
            return _execute(settings.command, settings.environment)
        enter.keep_pair()
        self._filter.install()
        os.environ.update(settings.environment)  # last, since they may change what is run
        return play(settings.entry, bytes.fromhex(settings.key))

    def _reap(self) -> None:
        """Report processes that ended: status (as of waitpid), CPU time and memory."""
        while self._numbers:
            process, status, used = os.wait4(-1, os.WNOHANG)
            if not process:
                return
            self._tell(
                {
                    "ended": self._numbers.pop(process),
                    "status": status,
                    "cpu_s": used.ru_utime + used.ru_stime,
                    "memory_kb": used.ru_maxrss,
                }
            )


def _execute(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Become the program. Return the exit status if it cannot be started."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    try:
        os.execve(command[0], list(command), {**inherited, **environment})  # noqa: S606
    except OSError as error:
        sys.stderr.write(f"Error: {_refused(command[0], error)}\n")
        return NOT_STARTED


def _refused(program: str, error: OSError) -> str:
    name = os.path.basename(program)
    if error.errno == errno.ENOENT and os.path.exists(program):
        return f"{name} needs an interpreter or libraries that hosts lack. Link it statically."
    if error.errno == errno.EACCES:
        return f"{name} is not executable. Run `chmod +x {name}` before you submit it."
    if error.errno == errno.ENOEXEC:
        return f"{name} is not a program for Linux on {os.uname().machine}. Build it for that."
    return f"{name} cannot be started: {error.strerror}."


def _arrange(given: Sequence[int], *, is_program: bool) -> None:
    """Put the connection and the output on the expected descriptors, and close all others.

    A program has its connection as standard input and output. A Python bot gets its own empty
    standard input: through the server's input, processes could exchange data by /proc.
    """
    # Out of the way of the numbers that are overwritten below.
    *connection, output = (_above(os.dup(descriptor)) for descriptor in given)
    if is_program:
        wanted = {INPUT: connection[0], OUTPUT: connection[1], ERRORS: output}
    else:
        empty = _above(os.pipe()[0])
        wanted = {INPUT: empty, OUTPUT: output, ERRORS: output, CONNECTION: connection[0]}
    for descriptor, copied in wanted.items():
        os.dup2(copied, descriptor)
    os.closerange(max(wanted) + 1, HIGHEST_DESCRIPTOR)


def _above(descriptor: int) -> int:
    while descriptor <= CONNECTION:
        descriptor = os.dup(descriptor)
    return descriptor


def _report(error: BaseException) -> int:
    """Print the error that ended the process, for its author. Return the exit status."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 1
    traceback.print_exception(type(error), error, _authors(error.__traceback__))
    return 1


def _authors(frames: TracebackType | None) -> TracebackType | None:
    """Return the frames from the author's first one on, or all without such a frame."""
    found = frames
    while found is not None and found.tb_frame.f_code.co_filename.startswith((PACKAGE, "<frozen ")):
        found = found.tb_next
    return found or frames


class _First(Bot):
    def choose(self, view: View) -> str:
        view.rng()
        return view.actions[0]


def _warm_up() -> None:
    """Let a bot decide once in each game with each number of seats, so that all processes share
    what is computed at first use: layouts and the texts of moves."""
    process = MatchProcess(_First())
    for name, kind in GAMES.items():
        for seats in range(2, MOST_SEATS + 1):
            names = tuple(Seat(str(seat)) for seat in range(seats))
            match = Match(MatchSetup("warmwarmwarmwarm", name, bytes(16), names))
            assert match.decision is not None
            row, moves = layout_of(kind, seats).pack(match.decision)
            batch = pb.Batch()
            batch.packed.add(game=name, seats=seats, time_ms=1, tickets=[1], rows=row, moves=moves)
            process.choices(batch).SerializeToString()
