"""One batch that is being played: what it still has to start, and what goes out for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence, Set

from arena.pairing import PlannedMatch
from workers.schedule.outbound import Outbound


class ActiveBatch:
    """A batch that a run plays, possibly beside others."""

    def __init__(
        self, number: int, matches: Sequence[PlannedMatch], stored: Set[int], outbound: Outbound
    ) -> None:
        """`stored` are the positions of matches that an earlier run has finished."""
        self.number, self.matches, self.outbound = number, tuple(matches), outbound
        self.to_start = deque(match for match in matches if match.position not in stored)
        self.running = 0  # matches started and not finished

    @property
    def complete(self) -> bool:
        """Whether all its matches are finished."""
        return not self.to_start and not self.running

    @property
    def entrants(self) -> set[int]:
        """Who has a seat in it, by entrant number."""
        return {entrant for planned in self.matches for entrant in planned.seats}

    def resume(self, positions: Set[int]) -> list[PlannedMatch]:
        """Takes the matches at these positions from those to be started: they are running."""
        resumed = [match for match in self.to_start if match.position in positions]
        self.to_start = deque(match for match in self.to_start if match.position not in positions)
        self.running += len(resumed)
        return resumed
