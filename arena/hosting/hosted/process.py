"""One process of a bot, from the order until it is gone: its connection, its output, its clock."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import suppress
from fcntl import ioctl
from termios import FIONREAD

from google.protobuf.message import DecodeError

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.clock import ProcessClock
from arena.hosting.hosted.connection import Codec, connection_of
from arena.hosting.hosted.cpu_clock import CpuClock, is_asleep
from arena.hosting.hosted.inside.frames import Frames, framed
from arena.hosting.hosted.json_lines import JsonLines
from arena.hosting.hosted.output import Output
from arena.protocol.v1 import play_pb2 as pb
from arena.protocol.v1.play_pb2 import Batch, BotMessage

LARGEST_ANSWER = 1 << 20
LONGEST_LINE = 1 << 16
RECEIVED_AT_ONCE = 1 << 16


class Process:
    """What the host knows of a process.

    `said` gets what it sends, in order; `hung_up` is called once, with what was wrong if anything
    was, when nothing more will come.
    """

    def __init__(
        self,
        number: int,
        most_output: int,
        said: Callable[[Process, BotMessage], None],
        hung_up: Callable[[Process, str], None],
        *,
        is_program: bool = False,
    ) -> None:
        """`is_program`: it writes lines to stdout; else it is a Python bot."""
        self.number = number
        self.clock = ProcessClock()
        self.ready = False  # it has said Hello
        self.killed_because = ""
        self.waited_s = 0.0  # without computing, before it was ready and after its match was over
        self.finished_cpu_s: float | None = None  # its CPU time when its match was over
        self.last_asked = time.monotonic()
        self._said, self._hung_up = said, hung_up
        self._codec: Codec = JsonLines(LONGEST_LINE) if is_program else Delimited(LARGEST_ANSWER)
        self._unsent = bytearray()
        self._number: int | None = None  # as the kernel has it, since it began
        self._cpu: CpuClock | None = None
        self._last_cpu = 0.0
        self._seen_cpu = 0.0  # when it was last looked at
        self._pidfd: int | None = None
        self._loop = asyncio.get_running_loop()
        self._connection = connection_of(pipes=is_program)
        pipe, output = os.pipe()
        os.set_blocking(pipe, False)
        self.theirs = (*self._connection.theirs, output)  # what the process gets
        self.output = Output(pipe, most_output)
        self._loop.add_reader(self._connection.reads, self._receive)
        self._loop.add_reader(self.output, self._read_output)

    def handed_over(self) -> None:
        """The fork server has its copies of what the process gets."""
        for descriptor in self.theirs:
            os.close(descriptor)

    def began(self, process: int) -> None:
        """It is there, with this number."""
        with suppress(ProcessLookupError):  # it is gone already
            self._pidfd = os.pidfd_open(process)
            self._cpu = CpuClock(process)
            self._number = process
        if self.killed_because:
            self._kill()

    # Its time

    @property
    def has_begun(self) -> bool:
        """Whether it is there; until then its time does not run."""
        return self._number is not None

    def is_waiting(self) -> bool:
        """Whether it waits at this moment: it neither computes, nor waits for a core or a disk, nor
        is there anything from it that this host has not read yet."""
        if self._number is None or self._unread():
            return False
        before, self._seen_cpu = self._seen_cpu, self.used()
        try:
            asleep = is_asleep(self._number)
        except OSError:  # gone, or hidden: then it slept if its CPU time did not grow
            asleep = self._seen_cpu == before
        # Threads that wake each other may all be asleep when they are looked at one by one.
        return asleep and self.used() == self._seen_cpu

    def _unread(self) -> bool:
        connection = () if self._connection.closed else (self._connection.reads,)
        size, total = array("i", [0]), 0
        for descriptor in (*connection, self.output.fileno()):
            if descriptor >= 0:
                ioctl(descriptor, FIONREAD, size)
                total += size[0]
        return total > 0

    def used(self) -> float:
        """CPU seconds so far; what was known last, if it is gone."""
        if self._cpu is not None:
            with suppress(OSError):
                self._last_cpu = self._cpu.seconds()
        return self._last_cpu

    # To it

    def send(self, batch: Batch) -> None:
        """Sends notices and decisions, as soon as the process takes them."""
        if self._connection.closed:
            return
        encoded = self._codec.encode(batch)
        if not self._unsent:
            try:
                encoded = encoded[os.write(self._connection.writes, encoded) :]
            except BlockingIOError:
                pass
            except OSError:
                return  # it is gone, which the reader notices
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
        try:
            received = os.read(self._connection.reads, RECEIVED_AT_ONCE)
            if not received:
                self._end("")
                return
            for message in self._codec.decode(received):
                self._said(self, message)
                if self._connection.closed:
                    return
        except BlockingIOError:
            return
        except OSError:
            self._end("")  # it is gone; how it ended says more
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
        """Ends it, now or as soon as it is there."""
        self.killed_because = self.killed_because or because
        self._kill()

    def _kill(self) -> None:
        if self._pidfd is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def finish(self) -> None:
        """Nothing more is asked of it: it is to end by itself."""
        self.finished_cpu_s, self.waited_s = self.used(), 0.0
        self._hang_up()

    def _hang_up(self) -> None:
        if not self._connection.closed:
            self._loop.remove_reader(self._connection.reads)
            if self._unsent:
                self._loop.remove_writer(self._connection.writes)
            self._connection.close()

    def gone(self) -> None:
        """It has ended: what it wrote last is read, and everything closed. May be called twice."""
        self._hang_up()
        self.used()
        if self.output.fileno() >= 0:
            self.output.read()
            self._loop.remove_reader(self.output)
            self.output.close()
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = self._cpu = self._number = None


class Delimited:
    """A codec for messages that each come after their length."""

    def __init__(self, longest: int) -> None:
        self._frames = Frames(longest)

    def encode(self, batch: pb.Batch) -> bytes:
        return framed(pb.ArenaMessage(batch=batch).SerializeToString())

    def decode(self, received: bytes) -> Iterator[pb.BotMessage]:
        for frame in self._frames.add(received):
            try:
                yield pb.BotMessage.FromString(frame)
            except DecodeError:
                raise InvalidRequest("Bytes came that are not a BotMessage.") from None
