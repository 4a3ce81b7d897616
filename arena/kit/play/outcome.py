"""What is kept of a match that was played, as it comes from the process that played it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.games.match import FaultKind
from arena.tournaments.formats import PlannedMatch, Played


@dataclass(frozen=True, slots=True)
class FaultReport:
    """A fault, or with the kind None an exception in a hook, which is no fault."""

    position: int  # of the match in the schedule
    match: str
    entrant: int
    kind: FaultKind | None
    number: int  # of the decision; 0 for a hook
    reason: str
    traceback: str  # of an exception, from the bot's own code on; else ""
    place: str  # where it was raised: faults of one bot, kind and place are the same fault
    view: str  # what the bot saw, in short
    unanswered: bool = False  # the bot's process had to be ended, or ended by itself


@dataclass(frozen=True, slots=True)
class Outcome:
    """A match. Sequences are by seat; times in nanoseconds."""

    played: Played
    winners: Sequence[int]  # seats
    penalties: Sequence[int]  # for cards, over all rounds
    rounds: int
    decisions: Sequence[int]
    thought_ns: Sequence[int]
    faults: Sequence[FaultReport] = field(default_factory=tuple)
    record: str = ""  # as JSON, where it is to be kept

    @property
    def planned(self) -> PlannedMatch:
        """The match as it was planned."""
        return self.played.match
