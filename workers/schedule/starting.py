"""Starts the matches of a run. Those of absent players, and of players at their limit of concurrent
matches, are postponed; those of withdrawn players are cancelled."""

from collections.abc import Iterable, Mapping, Sequence, Set

from arena.base.instant import Instant
from arena.tournaments.formats import format_of
from workers.schedule.absentees import Absentees
from workers.schedule.active import ActiveBatch, MatchFactory
from workers.schedule.matches_in_play import MatchesInPlay


class Starter:
    """Starts the matches of `batches`, a list that the caller updates, and withdraws entrants. The
    caller stores the result of `take_withdrawals`."""

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
        self.crowded = False  # whether a player is at its limit of concurrent matches
        self._withdrawn: set[int] = set()  # entrants
        self._newly: list[int] = []  # withdrawn entrants that are not stored yet
        self._cancelled: list[int] = []  # positions of matches that are not stored as cancelled

    # Starting

    def start(self, window: int, at: Instant) -> None:
        """Starts matches until `window` are in flight."""
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
        """Counts a started match of these entrants against their limits."""
        for player in limits.keys() & {self._factory.players[entrant] for entrant in seats}:
            limits[player] -= 1
            batch.postpone(self._nothing_more_of(limits))

    def _nothing_more_of(self, limits: Mapping[int, int]) -> Set[int]:
        """The entrants whose matches must not start now."""
        return {self._entrants[player] for player, limit in limits.items() if not limit}

    # Withdrawing

    @property
    def withdrawals_pending(self) -> bool:
        """Whether withdrawals or cancelled matches have to be stored."""
        return bool(self._newly or self._cancelled)

    def withdraw_absentees(self, at: Instant) -> None:
        """Withdraws absent entrants that have forfeited too many matches in a row."""
        newly = {self._entrants[player] for player in self._absentees.to_withdraw(at)}
        self._newly += sorted(newly)
        self.withdrawn(newly)

    def withdrawn(self, entrants: Set[int]) -> None:
        """Withdraws these entrants, and cancels their matches that have not started."""
        if not entrants <= self._withdrawn:
            self._withdrawn |= entrants
            self._absentees.withdrawn({self._factory.players[entrant] for entrant in entrants})
            self.cancel(self.batches)

    def cancel(self, batches: Iterable[ActiveBatch]) -> None:
        """Cancels the matches of all withdrawn entrants that have not started."""
        if self._withdrawn:
            for batch in batches:
                self._cancelled += batch.cancel(self._withdrawn, self._matches_per_deal)

    def take_withdrawals(self) -> tuple[Sequence[int], Sequence[int]]:
        """Returns what has to be stored: withdrawn entrants, and positions of cancelled matches."""
        newly, cancelled = self._newly, self._cancelled
        self._newly, self._cancelled = [], []
        return newly, cancelled
