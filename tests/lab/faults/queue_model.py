"""A model of the queue of batches and their leases in Redis; see `arena.service.live.ready`."""

from collections.abc import Collection, Iterable

from tests.lab.faults.clock import SimClock

Batch = tuple[int, int]  # a tournament and a number


class QueueModel:
    """Pending batches by tournament, and leases."""

    def __init__(self, clock: SimClock) -> None:
        self._clock = clock
        self._waiting: dict[int, set[int]] = {}
        self._times: dict[int, float] = {}  # virtual time, by tournament
        self._now = 0.0
        self._leases: dict[Batch, tuple[str, float]] = {}  # the holder, and until when

    def add(self, batches: Iterable[Batch]) -> None:
        """Add batches that are neither pending nor leased."""
        for tournament, number in batches:
            if self.holder((tournament, number)) is None:
                self._waiting.setdefault(tournament, set()).add(number)

    def claim(
        self, holder: str, lease_s: float, room: int, size: int, excluded: Collection[int]
    ) -> list[Batch]:
        """Claim batches of `size` matches, by fairness between tournaments."""
        claimed: list[Batch] = []
        most = -(-len(self) // 2)
        while room > 0 and len(claimed) < most:
            open_ = [one for one in self._waiting if one not in excluded and self._waiting[one]]
            if not open_:
                break
            first = min(open_, key=lambda one: (max(self._times.get(one, 0.0), self._now), one))
            self._now = max(self._times.get(first, 0.0), self._now)
            self._times[first] = self._now + size
            number = min(self._waiting[first])
            self._waiting[first].remove(number)
            if self.holder((first, number)) is None:
                self._leases[first, number] = (holder, self._clock.now + lease_s)
                claimed.append((first, number))
                room -= size
        return claimed

    def holder(self, batch: Batch) -> str | None:
        """Return the holder of the lease of a batch."""
        holder, until = self._leases.get(batch, ("", 0.0))
        return holder if until > self._clock.now else None

    def renew(self, batch: Batch, holder: str, lease_s: float) -> bool:
        """Renew a lease. Return False if it was lost."""
        if self.holder(batch) != holder:
            return False
        self._leases[batch] = (holder, self._clock.now + lease_s)
        return True

    def release(self, batch: Batch, holder: str) -> None:
        """Release a lease if `holder` has it."""
        if self.holder(batch) == holder:
            del self._leases[batch]

    def missing(self, batches: Iterable[Batch]) -> list[Batch]:
        """Return batches that are neither pending nor leased."""
        return [
            (tournament, number)
            for tournament, number in batches
            if number not in self._waiting.get(tournament, ())
            and self.holder((tournament, number)) is None
        ]

    def held(self) -> list[Batch]:
        """Return all leased batches."""
        return [batch for batch in self._leases if self.holder(batch) is not None]

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))
