"""The output of a process, by decision.

When an answer comes, everything written since the answer before belongs to the decisions that it
answers.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Literal

from arena.games.rules import game_class
from arena.games.rules.packed import NUMBER, layout_of
from arena.games.rules.rows import MATCH
from arena.protocol.v1 import play_pb2 as pb

# start: before it was ready; decision: before the answer to it; unanswered: during a decision that
# was never answered; late: after its time was up; end: after the last answer.
When = Literal["start", "decision", "unanswered", "late", "end"]

MOST_MARKS = 2000  # of a process; the rest of its output is one part
MATCH_AT = NUMBER - MATCH


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision: its match, and its number in it over all seats, from 1."""

    match: str
    number: int


@dataclass(frozen=True, slots=True)
class LogPart:
    """A part of the output. `others` is the number of decisions answered together with this one."""

    when: When
    text: str
    match: str = ""
    decision: int = 0
    others: int = 0


@dataclass(frozen=True, slots=True)
class PartEnd:
    """The end of a part in the output, in bytes."""

    end: int
    when: When
    of: Decided | None = None
    others: int = 0

    def part(self, text: str) -> LogPart:
        """Return the part with this text."""
        if self.of is None:
            return LogPart(self.when, text)
        return LogPart(self.when, text, self.of.match, self.of.number, self.others)


class Marks:
    """The ends of the parts of a process's output."""

    def __init__(self) -> None:
        self.end = 0  # the last of them
        self.answered: Container[int] = ()  # the tickets that were answered last
        self._marks: list[PartEnd] = []

    def add(self, end: int, when: When, decided: Iterable[Decided] = ()) -> None:
        """Make the output up to here that is in no part yet a part."""
        if end <= self.end or len(self._marks) >= MOST_MARKS:
            return
        first, *others = decided or (None,)
        self._marks.append(PartEnd(end, when, first, len(others)))
        self.end = end

    def parts(self, output: bytes, open_: Iterable[Decided] = ()) -> tuple[LogPart, ...]:
        """Return the parts of a process that has ended with these decisions unanswered."""
        decided = list(open_)
        when: When = "unanswered" if decided else "end"
        first, *others = decided or (None,)
        found, start = [], 0
        for mark in (*self._marks, PartEnd(len(output), when, first, len(others))):
            if text := output[start : mark.end].decode(errors="replace"):
                found.append(mark.part(text))
            start = mark.end
        return tuple(found)


def decided(
    asked: Iterable[pb.Batch], tickets: Container[int], *, without: bool = False
) -> list[Decided]:
    """Return the decisions with these tickets, or all others if `without`."""
    return [
        found
        for batch in asked
        for ticket, found in decisions_of(batch)
        if (ticket in tickets) is not without
    ]


def decisions_of(batch: pb.Batch) -> Iterable[tuple[int, Decided]]:
    """Yield the tickets and decisions of a batch."""
    for decision in batch.decisions:
        yield decision.ticket, Decided(decision.view.match, decision.view.number)
    for packed in batch.packed:
        width = layout_of(game_class(packed.game), packed.seats).width
        for place, ticket in enumerate(packed.tickets):
            yield ticket, _named(packed.rows[place * width : (place + 1) * width])


def _named(row: bytes) -> Decided:
    match = row[MATCH_AT:NUMBER].rstrip(b"\0").decode("ascii")
    return Decided(match, int.from_bytes(row[NUMBER : NUMBER + 2], "little"))
