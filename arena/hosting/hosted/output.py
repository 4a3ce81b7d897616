"""What a bot writes, as far as it is kept: the beginning of what a process says, up to a limit."""

from __future__ import annotations

import os
from array import array
from collections.abc import Container, Iterable
from fcntl import ioctl
from termios import FIONREAD

from arena.hosting.hosted.parts import Decided, Marks, Part, When

AT_ONCE = 1 << 16


class Output:
    """Reads from a pipe until `most` bytes have come; then it is closed, and whoever writes on gets
    an error."""

    def __init__(self, pipe: int, most: int) -> None:
        self._pipe: int | None = pipe
        self.most = most
        self._kept = bytearray()
        self.flooded = False  # whether there was more
        self.marks = Marks()
        self._size = array("i", [0])

    @property
    def text(self) -> str:
        """What was written so far."""
        return self._kept.decode(errors="replace")

    def answered(self, tickets: Container[int]) -> bool:
        """These decisions are answered; whether anything was written since the last answer, which
        is to be marked then. Asked for each answer, so it is one system call."""
        self.marks.answered = tickets
        if self._pipe is not None:
            ioctl(self._pipe, FIONREAD, self._size)
            if self._size[0]:
                self.read()
        return len(self._kept) > self.marks.end

    def mark(self, when: When, decided: Iterable[Decided] = ()) -> None:
        """What was written so far, and is in no part yet, was written then."""
        self.marks.add(len(self._kept), when, decided)

    def parts(self, open_: Iterable[Decided] = ()) -> tuple[Part, ...]:
        """All that was written, by when; `open_` is what was never answered."""
        return self.marks.parts(bytes(self._kept), open_)

    def fileno(self) -> int:
        """The pipe's descriptor; -1 when it is closed."""
        return -1 if self._pipe is None else self._pipe

    def read(self) -> bool:
        """Reads what is there. False if there will be no more."""
        while self._pipe is not None:
            try:
                received = os.read(self._pipe, AT_ONCE)
            except BlockingIOError:
                return True
            room = self.most - len(self._kept)
            self._kept += received[:room]
            self.flooded |= len(received) > room
            if not received or self.flooded:
                return False
        return False

    def close(self) -> None:
        """Closes the pipe. May be called twice."""
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None
