"""The output of a bot's process, kept up to a limit."""

from __future__ import annotations

import os
from array import array
from collections.abc import Container, Iterable
from fcntl import ioctl
from termios import FIONREAD

from arena.hosting.hosted.parts import Decided, LogPart, Marks, When

AT_ONCE = 1 << 16


class Output:
    """Reads up to `most` bytes from a pipe. Then the pipe is closed, and further writes fail."""

    def __init__(self, pipe: int, most: int) -> None:
        self._pipe: int | None = pipe
        self.most = most
        self._kept = bytearray()
        self.flooded = False  # there was more
        self.marks = Marks()
        self._size = array("i", [0])

    @property
    def text(self) -> str:
        """The output so far."""
        return self._kept.decode(errors="replace")

    def answered(self, tickets: Container[int]) -> bool:
        """These decisions are answered. Return whether anything was written since the last answer;
        if so, call `mark`. It is called for each answer, so it makes one system call."""
        self.marks.answered = tickets
        if self._pipe is not None:
            ioctl(self._pipe, FIONREAD, self._size)
            if self._size[0]:
                self.read()
        return len(self._kept) > self.marks.end

    def mark(self, when: When, decided: Iterable[Decided] = ()) -> None:
        """Attribute the output that is in no part yet."""
        self.marks.add(len(self._kept), when, decided)

    def parts(self, open_: Iterable[Decided] = ()) -> tuple[LogPart, ...]:
        """Return the output in parts; `open_` are the decisions that were never answered."""
        return self.marks.parts(bytes(self._kept), open_)

    def fileno(self) -> int:
        """Return the pipe's descriptor; -1 if it is closed."""
        return -1 if self._pipe is None else self._pipe

    def read(self) -> bool:
        """Read the available output. Return False at its end."""
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
        """Close the pipe. May be called twice."""
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None
