"""The move clock of a process: what it holds open, and what it is charged for.

A decision is charged the CPU time that the process used since it last owed nothing to it: since its
last answer, or since it was ready. So what it thinks on after an answer is charged to the next one.
Time without CPU use is not charged here: see `arena.hosting.hosted.waiting`. This does no IO. CPU
times are seconds as the kernel counts them for the process; other times are monotonic seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

# A process that has not come back after so much more is ended; the match goes on in a new one.
OVERTIME_SHARE, OVERTIME_S = 1.0, 1.0


@dataclass(frozen=True, slots=True)
class Overrun:
    """A decision that took too long."""

    ticket: int
    reason: str
    used_s: float  # of CPU time


class ProcessClock:
    """The clock of one process."""

    def __init__(self) -> None:
        self._owed: dict[int, float] = {}  # by ticket: seconds allowed
        self._mark = 0.0  # its CPU time when it last owed nothing more
        self._late_since: float | None = None  # its CPU time when a decision ran out, if one did
        self._late_allowed = 0.0
        self._owes_since, self._owed_s = 0.0, 0.0

    @property
    def held(self) -> int:
        """How many decisions it holds."""
        return len(self._owed)

    @property
    def open(self) -> list[int]:
        """The tickets of what it holds."""
        return list(self._owed)

    def began(self, used: float) -> None:
        """The process is ready; what it took until now is nobody's."""
        self._mark = used

    def asked(self, tickets: Iterable[int], allowed: float, now: float) -> None:
        """These decisions were given to it, with so many seconds for each."""
        if not self._owed:
            self._owes_since = now
        self._owed.update(dict.fromkeys(tickets, allowed))

    def answered(self, tickets: Iterable[int], used: float, now: float) -> dict[int, float]:
        """It has answered these. Of those that it holds: what they are charged, CPU seconds."""
        charge = max(0.0, used - self._mark)
        charges = {ticket: charge for ticket in tickets if self._owed.pop(ticket, None) is not None}
        if charges:
            self._gave_back(now)
        self._mark, self._late_since = used, None
        return charges

    def overrun(self, used: float, now: float) -> list[Overrun]:
        """The decisions whose time is up; it holds them no longer."""
        charge = used - self._mark
        over = []
        for ticket, allowed in list(self._owed.items()):
            if charge <= allowed:
                continue
            reason = f"It used {charge:.3f} s of CPU time; it has {allowed:g} s."
            over.append(Overrun(ticket, reason, charge))
            del self._owed[ticket]
            if self._late_since is None:
                self._late_since, self._late_allowed = used, allowed
        if over:
            self._gave_back(now)
            self._mark = used
        return over

    def is_stuck(self, used: float) -> bool:
        """Whether it goes on long after its time was up, and is to be ended."""
        if self._late_since is None:
            return False
        return used - self._late_since > OVERTIME_SHARE * self._late_allowed + OVERTIME_S

    def next_look(self, used: float, now: float) -> float:
        """When something may be up at the earliest: CPU time runs no faster than time does."""
        charge = used - self._mark
        looks = [inf, *(now + max(0.0, allowed - charge) for allowed in self._owed.values())]
        if self._late_since is not None:
            most = OVERTIME_SHARE * self._late_allowed + OVERTIME_S
            looks.append(now + max(0.0, most - (used - self._late_since)))
        return min(looks)

    def owed_s(self, now: float) -> float:
        """The wall time, so far, for which it has held a decision."""
        return self._owed_s + (now - self._owes_since if self._owed else 0.0)

    def _gave_back(self, now: float) -> None:
        """Some of what it held was answered or is over."""
        self._owed_s += max(0.0, now - self._owes_since)
        self._owes_since = now

    def dropped(self, now: float) -> list[int]:
        """It is gone: the tickets of what it held."""
        tickets = self.open
        self._owed_s = self.owed_s(now)
        self._owed.clear()
        return tickets
