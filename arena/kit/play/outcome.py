"""The result of a match, sent by the process that played it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.games.match import FaultKind
from arena.tournaments.formats import PlannedMatch, Played


@dataclass(frozen=True, slots=True)
class FaultReport:
    """A fault, or an exception in a hook (kind None), which is not a fault."""

    position: int  # of the match in the schedule
    match: str
    entrant: int
    kind: FaultKind | None
    number: int  # of the decision; 0 for a hook
    reason: str
    traceback: str  # of an exception, from the bot's own code on; else ""
    place: str  # of the exception; faults of one bot, kind and place form a group
    view: str  # of the bot, in short
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
    record: str = ""  # as JSON, if it is kept

    @property
    def planned(self) -> PlannedMatch:
        """The match as it was planned."""
        return self.played.match
