"""One process of a bot, from the order until it is gone: its connection, its output, its clock."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress

from google.protobuf.message import DecodeError

from arena.errors import InvalidRequest
from arena.hosted.clock import Guard, ProcessClock
from arena.hosted.cpu_clock import CpuClock, waited_s
from arena.hosted.inside.frames import Frames, framed
from arena.hosted.output import Output
from arena.protocol.v1.play_pb2 import ArenaMessage, BotMessage

LARGEST_ANSWER = 1 << 20
RECEIVED_AT_ONCE = 1 << 16


class Process:
    """What the host knows of a process.

    `said` gets what it sends, in order; `hung_up` is called once, with what was wrong if anything
    was, when nothing more will come.
    """

    def __init__(
        self,
        number: int,
        guard: Guard,
        most_output: int,
        said: Callable[[Process, BotMessage], None],
        hung_up: Callable[[Process, str], None],
    ) -> None:
        self.number = number
        self.clock = ProcessClock(guard)
        self.ready = False  # it has said Hello
        self.killed_because = ""
        self.ordered = time.monotonic()
        self.last_asked = self.ordered
        self._said, self._hung_up = said, hung_up
        self._frames = Frames(LARGEST_ANSWER)
        self._unsent = bytearray()
        self._number: int | None = None  # as the kernel has it, since it began
        self._cpu: CpuClock | None = None
        self._last_cpu = 0.0
        self._waited = self._stalled = 0.0
        self._pidfd: int | None = None
        self._loop = asyncio.get_running_loop()
        self._connection, self.theirs = socket.socketpair()
        self._connection.setblocking(False)
        pipe, self.their_output = os.pipe()
        os.set_blocking(pipe, False)
        self.output = Output(pipe, most_output)
        self._loop.add_reader(self._connection, self._receive)
        self._loop.add_reader(self.output, self._read_output)

    def handed_over(self) -> None:
        """The fork server has its copies of what the process gets."""
        self.theirs.close()
        os.close(self.their_output)

    def began(self, process: int) -> None:
        """It is there, with this number."""
        with suppress(ProcessLookupError):  # it is gone already
            self._pidfd = os.pidfd_open(process)
            self._cpu = CpuClock(process)
            self._number = process
            self.ordered = self.now()
        if self.killed_because:
            self._kill()

    # Its time

    @property
    def has_begun(self) -> bool:
        """Whether it is there; until then its time does not run."""
        return self._number is not None

    def now(self) -> float:
        """The time by a clock that stands still while the process waits for a core, and while this
        host cannot look: monotonic seconds less those. It may be ahead: see `now_exactly`."""
        return time.monotonic() - self._waited - self._stalled

    def now_exactly(self) -> float:
        """The same, with all that the process has waited for a core until now: the kernel is
        asked, which takes too long to do it for each decision."""
        if self._number is not None:
            with suppress(OSError):
                self._waited = waited_s(self._number)
        return self.now()

    def stalled(self, seconds: float) -> None:
        """For so long this host could not look."""
        self._stalled += seconds

    def used(self) -> float:
        """CPU seconds so far; what was known last, if it is gone."""
        if self._cpu is not None:
            with suppress(OSError):
                self._last_cpu = self._cpu.seconds()
        return self._last_cpu

    # To it

    def send(self, message: ArenaMessage) -> None:
        """Sends a message, as soon as the process takes it."""
        if self._connection.fileno() < 0:
            return
        frame = framed(message.SerializeToString())
        if not self._unsent:
            try:
                frame = frame[self._connection.send(frame) :]
            except BlockingIOError:
                pass
            except OSError:
                return  # it is gone, which the reader notices
        if frame:
            if not self._unsent:
                self._loop.add_writer(self._connection, self._send_rest)
            self._unsent += frame

    def _send_rest(self) -> None:
        try:
            del self._unsent[: self._connection.send(self._unsent)]
        except BlockingIOError:
            return
        except OSError:
            self._unsent.clear()
        if not self._unsent:
            self._loop.remove_writer(self._connection)

    # From it

    def _receive(self) -> None:
        try:
            received = self._connection.recv(RECEIVED_AT_ONCE)
            if not received:
                self._end("")
                return
            for frame in self._frames.add(received):
                self._said(self, BotMessage.FromString(frame))
                if self._connection.fileno() < 0:
                    return
        except BlockingIOError:
            return
        except OSError:
            self._end("")  # it is gone; how it ended says more
        except InvalidRequest as error:
            self._end(str(error))
        except DecodeError:
            self._end("Bytes came that are not a BotMessage.")

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
        self._hang_up()

    def _hang_up(self) -> None:
        if self._connection.fileno() >= 0:
            self._loop.remove_reader(self._connection)
            if self._unsent:
                self._loop.remove_writer(self._connection)
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
