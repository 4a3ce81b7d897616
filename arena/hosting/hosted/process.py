"""One process of a bot: its connection, output and clock."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fcntl import ioctl
from termios import FIONREAD

from google.protobuf.message import DecodeError

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.clock import ProcessClock
from arena.hosting.hosted.cpu_clock import cpu_seconds, is_asleep, thread_count
from arena.hosting.hosted.inside.frames import Frames, framed
from arena.hosting.hosted.json_lines import JsonLines
from arena.hosting.hosted.output import Output
from arena.protocol.v1 import play_pb2 as pb
from arena.protocol.v1.play_pb2 import Batch, BotMessage

LARGEST_ANSWER = 1 << 20
LONGEST_LINE = 1 << 16
RECEIVED_AT_ONCE = 1 << 16


class Process:
    """The host's side of a process. `said` gets its messages in order. `hung_up` is called once
    when no more will come, with a complaint if something was wrong."""

    def __init__(
        self,
        number: int,
        most_output: int,
        said: Callable[[Process, BotMessage], None],
        hung_up: Callable[[Process, str], None],
        *,
        is_program: bool = False,
    ) -> None:
        """`is_program`: it writes JSON lines to stdout; else it is a Python bot."""
        self.number = number
        self.clock = ProcessClock()
        self.ready = False  # it has said Hello
        self.killed_because = ""
        self.waited_s = 0.0  # not computing, before it was ready or after its match
        self.finished_cpu_s: float | None = None  # its CPU time when its match was over
        self.finished_at: float | None = None  # monotonic seconds
        self.useless = 0  # messages in a row that answered nothing
        self.last_asked = time.monotonic()
        self._said, self._hung_up = said, hung_up
        self._codec = JsonLines(LONGEST_LINE) if is_program else Delimited(LARGEST_ANSWER)
        self._early = bytearray()  # for when it is ready
        self._unsent = bytearray()
        self._number: int | None = None  # the PID, once it has started
        self._last_cpu = 0.0
        self._seen_cpu = 0.0  # CPU time at the last check
        self._pidfd: int | None = None
        self._loop = asyncio.get_running_loop()
        self._connection = connection_of(pipes=is_program)
        pipe, output = os.pipe()
        os.set_blocking(pipe, False)
        self.theirs = (*self._connection.theirs, output)  # descriptors of the process
        self.output = Output(pipe, most_output)
        self._loop.add_reader(self._connection.reads, self._receive)
        self._loop.add_reader(self.output, self._read_output)

    def handed_over(self) -> None:
        """Close the descriptors of the process: the fork server has copies."""
        for descriptor in self.theirs:
            os.close(descriptor)

    def began(self, process: int) -> None:
        """It has started, with this PID."""
        with suppress(ProcessLookupError):  # it is gone already
            self._pidfd = os.pidfd_open(process)
            self._number = process
        if self.killed_because:
            self._kill()

    # Its time

    @property
    def has_begun(self) -> bool:
        """Whether it has started; its time does not run before."""
        return self._number is not None

    def is_waiting(self) -> bool:
        """Return whether it waits at this moment: it does not compute, does not wait for a core or
        a disk, and this host has read everything from it."""
        if self._number is None or self._unread():
            return False
        before, self._seen_cpu = self._seen_cpu, self.used()
        try:
            asleep = is_asleep(self._number)
        except OSError:  # gone or hidden: it slept if its CPU time is the same
            asleep = self._seen_cpu == before
        # Threads that wake each other may each be asleep when they are checked.
        return asleep and self.used() == self._seen_cpu

    def _unread(self) -> bool:
        connection = () if self._connection.closed else (self._connection.reads,)
        size, total = array("i", [0]), 0
        for descriptor in (*connection, self.output.fileno()):
            if descriptor >= 0:
                ioctl(descriptor, FIONREAD, size)
                total += size[0]
        return total > 0

    def threads(self) -> int:
        """Return the number of its threads; 0 if unknown."""
        if self._number is not None:
            with suppress(OSError):
                return thread_count(self._number)
        return 0

    def used(self) -> float:
        """Return the CPU seconds so far, or the last known ones if it is gone."""
        if self._number is not None:
            with suppress(OSError):
                self._last_cpu = cpu_seconds(self._number)
        return self._last_cpu

    # To it

    def send(self, batch: Batch) -> None:
        """Send notices and decisions as soon as the process is ready and reads them."""
        if self._connection.closed:
            return
        encoded = self._codec.encode(batch)
        if self.ready:
            self._write(encoded)
        else:  # its time does not run yet, so it must not know what it will be asked
            self._early += encoded

    def said_hello(self) -> None:
        """It is ready: send it what came before."""
        self.ready = True
        if self._early and not self._connection.closed:
            self._write(bytes(self._early))

    def _write(self, encoded: bytes) -> None:
        if not self._unsent:
            try:
                encoded = encoded[os.write(self._connection.writes, encoded) :]
            except BlockingIOError:
                pass
            except OSError:
                return  # it is gone; the reader handles that
        if encoded:
            if not self._unsent:
                self._loop.add_writer(self._connection.writes, self._send_rest)
            self._unsent += encoded

    def _send_rest(self) -> None:
        try:
            del self._unsent[: os.write(self._connection.writes, self._unsent)]
        except BlockingIOError:
            return
        except OSError:
            self._unsent.clear()
        if not self._unsent:
            self._loop.remove_writer(self._connection.writes)

    # From it

    def _receive(self) -> None:
        if self.killed_because:  # it may write faster than it can be read
            self._hang_up()
            return
        try:
            received = os.read(self._connection.reads, RECEIVED_AT_ONCE)
            if not received:
                self._end("")
                return
            for message in self._codec.decode(received):
                self._said(self, message)
                if self._connection.closed or self.killed_because:
                    return
        except BlockingIOError:
            return
        except OSError:
            self._end("")  # it is gone; its exit status says more
        except InvalidRequest as error:
            self._end(str(error))

    def _read_output(self) -> None:
        if not self.output.read():
            self._loop.remove_reader(self.output)
            self.output.close()

    def _end(self, complaint: str) -> None:
        self._hang_up()
        self._hung_up(self, complaint)

    # Its end

    def kill(self, because: str) -> None:
        """Kill it, now or as soon as it has started."""
        self.killed_because = self.killed_because or because
        self._kill()

    def _kill(self) -> None:
        if self._pidfd is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def finish(self) -> None:
        """Hang up, so that it exits: its match is over."""
        self.finished_cpu_s, self.waited_s = self.used(), 0.0
        self.finished_at = time.monotonic()
        self._hang_up()

    def _hang_up(self) -> None:
        if not self._connection.closed:
            self._loop.remove_reader(self._connection.reads)
            if self._unsent:
                self._loop.remove_writer(self._connection.writes)
            self._connection.close()

    def gone(self) -> None:
        """Read the rest of its output and close everything: it has ended. May be called twice."""
        self._hang_up()
        self.used()
        if self.output.fileno() >= 0:
            self.output.read()
            self._loop.remove_reader(self.output)
            self.output.close()
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = self._number = None


class Delimited:
    """The codec of a Python bot: length-delimited messages. Programs have `JsonLines`."""

    def __init__(self, longest: int) -> None:
        self._frames = Frames(longest)

    def encode(self, batch: pb.Batch) -> bytes:
        return framed(pb.ArenaMessage(batch=batch).SerializeToString())

    def decode(self, received: bytes) -> Iterator[pb.BotMessage]:
        """Yield the messages that these bytes complete. Raises InvalidRequest."""
        for frame in self._frames.add(received):
            try:
                yield pb.BotMessage.FromString(frame)
            except DecodeError:
                raise InvalidRequest("It sent bytes that are not a BotMessage.") from None


@dataclass(slots=True)
class Connection:
    """The host's descriptors, which do not block, and the process's (`theirs`)."""

    reads: int
    writes: int
    theirs: tuple[int, ...]
    closed: bool = False

    def close(self) -> None:
        """Close the host's descriptors."""
        self.closed = True
        for descriptor in {self.reads, self.writes}:
            os.close(descriptor)


def connection_of(*, pipes: bool) -> Connection:
    """Return a new one: a socket for a Python bot, two `pipes` for a program. Raises OSError."""
    if pipes:
        their_input, writes = os.pipe()
        reads, their_output = os.pipe()
        theirs: tuple[int, ...] = (their_input, their_output)
    else:
        ours, other = socket.socketpair()
        reads = writes = ours.detach()
        theirs = (other.detach(),)
    for descriptor in {reads, writes}:
        os.set_blocking(descriptor, False)
    return Connection(reads, writes, theirs)
