"""The output of a bot's process, kept up to a limit, by decision.

When an answer comes, everything written since the answer before belongs to the decisions that it
answers.
"""

import os
from array import array
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from fcntl import ioctl
from termios import FIONREAD
from typing import Literal

from arena.hosting.hosted.split import Decided

# start: before it was ready; decision: before the answer to it; unanswered: during a decision that
# was never answered; late: after its time was up; end: after the last answer.
When = Literal["start", "decision", "unanswered", "late", "end"]

AT_ONCE = 1 << 16  # bytes
MOST_MARKS = 2000  # of a process; the rest of its output is one part


@dataclass(frozen=True, slots=True)
class LogPart:
    """A part of the output. `others` is the number of decisions answered together with this one."""

    when: When
    text: str
    match: str = ""
    decision: int = 0
    others: int = 0


def _part(when: When, decided: Iterable[Decided]) -> LogPart:
    """Return the part of these decisions, without its text."""
    first, *others = decided or (None,)
    if first is None:
        return LogPart(when, "")
    return LogPart(when, "", first.match, first.number, len(others))


class Marks:
    """The ends of the parts of a process's output."""

    def __init__(self) -> None:
        self.end = 0  # the last of them
        self.answered: Container[int] = ()  # the tickets that were answered last
        self._marks: list[tuple[int, LogPart]] = []  # the end of each, in bytes

    def add(self, end: int, when: When, decided: Iterable[Decided] = ()) -> None:
        """Make the output up to here that is in no part yet a part."""
        if end <= self.end or len(self._marks) >= MOST_MARKS:
            return
        self._marks.append((end, _part(when, decided)))
        self.end = end

    def parts(self, output: bytes, open_: Iterable[Decided] = ()) -> tuple[LogPart, ...]:
        """Return the parts of a process that has ended with these decisions unanswered."""
        decided = list(open_)
        when: When = "unanswered" if decided else "end"
        found, start = [], 0
        for end, part in (*self._marks, (len(output), _part(when, decided))):
            if text := output[start:end].decode(errors="replace"):
                found.append(replace(part, text=text))
            start = end
        return tuple(found)


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
