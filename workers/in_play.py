"""One batch in play: what it still has to begin, and where the replies to its matches go."""

from __future__ import annotations

from collections import deque

from arena.pairing import PlannedMatch
from arena.store.batches import Batch
from workers.lease import Lease
from workers.mail import Mail


class BatchInPlay:
    """A batch that a run plays, maybe beside others."""

    def __init__(self, batch: Batch, lease: Lease, mail: Mail, stored: set[int]) -> None:
        """`stored` are the positions of matches that an earlier run has finished."""
        self.number, self.matches = batch.number, batch.matches
        self.parked = batch.parked  # what the store keeps of matches in mid-play
        self.lease, self.mail = lease, mail
        self.to_start = deque(match for match in batch.matches if match.position not in stored)
        self.tables = 0  # matches begun and not finished

    @property
    def complete(self) -> bool:
        """Whether all its matches are finished."""
        return not self.to_start and not self.tables

    @property
    def entrants(self) -> set[int]:
        """Who has a seat in it, by number in the tournament."""
        return {entrant for planned in self.matches for entrant in planned.seats}

    def take_out(self, positions: set[int]) -> list[PlannedMatch]:
        """The planned matches at these positions, which need not be started any more."""
        taken = [match for match in self.to_start if match.position in positions]
        self.to_start = deque(match for match in self.to_start if match.position not in positions)
        return taken
