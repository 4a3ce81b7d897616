"""A batch in play: the matches that have not started, and its deliveries."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence, Set

from arena.tournaments.formats import PlannedMatch
from workers.schedule.outbound import Outbound


class ActiveBatch:
    """A batch in a run, possibly together with others."""

    def __init__(
        self, number: int, matches: Sequence[PlannedMatch], stored: Set[int], outbound: Outbound
    ) -> None:
        """`stored` are the positions of matches that are stored or cancelled."""
        self.number, self.matches, self.outbound = number, tuple(matches), outbound
        self.to_start = deque(match for match in matches if match.position not in stored)
        self.postponed: Sequence[PlannedMatch] = ()  # must not start now
        self._absent: Set[int] = frozenset()  # the entrants for which they wait
        self.running = 0  # started and unfinished matches

    @property
    def complete(self) -> bool:
        """Whether all its matches are finished."""
        return not self.to_start and not self.postponed and not self.running

    @property
    def entrants(self) -> set[int]:
        """The numbers of the entrants with a seat in it."""
        return {entrant for planned in self.matches for entrant in planned.seats}

    def postpone(self, absent: Set[int]) -> None:
        """Postpones all matches of these entrants that have not started, and no others."""
        if absent == self._absent:
            return
        self._absent = frozenset(absent)
        waiting = sorted((*self.to_start, *self.postponed), key=lambda match: match.position)
        self.postponed = [match for match in waiting if not absent.isdisjoint(match.seats)]
        self.to_start = deque(match for match in waiting if absent.isdisjoint(match.seats))

    def cancel(self, withdrawn: Set[int], matches_per_deal: int) -> list[int]:
        """Removes the matches of these entrants that have not started, and returns their positions.
        Keeps a deal if one of its matches has started or is in another batch, because otherwise it
        would never be complete."""
        waiting = (*self.to_start, *self.postponed)
        of_deal = Counter(match.deal for match in waiting)
        cancelled = {
            match.position
            for match in waiting
            if of_deal[match.deal] == matches_per_deal and not withdrawn.isdisjoint(match.seats)
        }
        self.to_start = deque(each for each in self.to_start if each.position not in cancelled)
        self.postponed = [each for each in self.postponed if each.position not in cancelled]
        return sorted(cancelled)

    def resume(self, positions: Set[int]) -> list[PlannedMatch]:
        """Moves the matches at these positions to the running ones, and returns them."""
        resumed = [match for match in self.to_start if match.position in positions]
        self.to_start = deque(match for match in self.to_start if match.position not in positions)
        self.running += len(resumed)
        return resumed
