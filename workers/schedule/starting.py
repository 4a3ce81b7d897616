"""Which of a run's matches are started when: those of players who are absent, or have as many under
way as they take, wait; those of withdrawn ones are cancelled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from arena.base.instant import Instant
from arena.tournaments.formats import format_of
from workers.schedule.absentees import Absentees
from workers.schedule.active_batch import ActiveBatch
from workers.schedule.match_factory import MatchFactory
from workers.schedule.matches_in_play import MatchesInPlay


class Starter:
    """Starts the matches of `batches`, which the caller keeps up to date, and withdraws entrants.
    What is not stored of that yet is taken with `take_withdrawals`."""

    def __init__(
        self,
        factory: MatchFactory,
        matches: MatchesInPlay,
        absentees: Absentees,
        batches: Sequence[ActiveBatch],
    ) -> None:
        self.batches = batches
        self._factory, self._matches, self._absentees = factory, matches, absentees
        self._entrants = {player: number for number, player in enumerate(factory.players)}
        self._matches_per_deal = format_of(factory.spec.format).matches_per_deal(factory.spec)
        self.crowded = False  # whether somebody has as many matches under way as they take
        self._withdrawn: set[int] = set()  # entrants
        self._newly: list[int] = []
        self._cancelled: list[int] = []

    # Starting

    def start(self, window: int, at: Instant) -> None:
        """Starts matches while fewer than so many are in flight."""
        limits = self._absentees.may_start(self._matches.unreached, at)
        limited = self._matches.room()
        for player, room in limited.items():
            limits[player] = min(room, limits.get(player, room))
        for batch in self.batches:
            batch.postpone(self._nothing_more_of(limits))
            while batch.to_start and len(self._matches) < window:
                planned = batch.to_start.popleft()
                self._matches.start(batch, planned, at)
                if limits:
                    self._count(planned.seats, limits, batch)
        self.crowded = any(not limits[player] for player in limited)

    def _count(self, seats: Iterable[int], limits: dict[int, int], batch: ActiveBatch) -> None:
        """One more was started in which these entrants have a seat."""
        for player in limits.keys() & {self._factory.players[entrant] for entrant in seats}:
            limits[player] -= 1
            batch.postpone(self._nothing_more_of(limits))

    def _nothing_more_of(self, limits: Mapping[int, int]) -> Set[int]:
        """The entrants of whom no match may be started now."""
        return {self._entrants[player] for player, limit in limits.items() if not limit}

    # Withdrawing

    @property
    def withdrawals_pending(self) -> bool:
        """Whether there is something to store."""
        return bool(self._newly or self._cancelled)

    def withdraw_absentees(self, at: Instant) -> None:
        """Withdraws those who have forfeited too many matches in a row."""
        newly = {self._entrants[player] for player in self._absentees.to_withdraw(at)}
        self._newly += sorted(newly)
        self.withdrawn(newly)

    def withdrawn(self, entrants: Set[int]) -> None:
        """These are withdrawn: nobody waits for them, and what is not begun of their matches is
        cancelled."""
        if not entrants <= self._withdrawn:
            self._withdrawn |= entrants
            self._absentees.withdrawn({self._factory.players[entrant] for entrant in entrants})
            self.cancel(self.batches)

    def cancel(self, batches: Iterable[ActiveBatch]) -> None:
        """Cancels the matches of all who are withdrawn, as far as they are not begun."""
        if self._withdrawn:
            for batch in batches:
                self._cancelled += batch.cancel(self._withdrawn, self._matches_per_deal)

    def take_withdrawals(self) -> tuple[Sequence[int], Sequence[int]]:
        """What is to be stored: entrants who were withdrawn, positions of cancelled matches."""
        newly, cancelled = self._newly, self._cancelled
        self._newly, self._cancelled = [], []
        return newly, cancelled
