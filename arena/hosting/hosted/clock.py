"""The move clock of a process: its open decisions and their CPU time.

A decision is charged the CPU time since the process's last answer, or since it was ready. So
thinking after an answer is charged to the next decision. Time without CPU use is not charged here
(see `arena.hosting.hosted.waiting`). This does no IO. CPU times are seconds as counted by the
kernel; other times are monotonic seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

# CPU time after a timeout until the process is ended. The match goes on in a new one.
OVERTIME_SHARE, OVERTIME_S = 1.0, 1.0


@dataclass(frozen=True, slots=True)
class Overrun:
    """A decision that took too much CPU time."""

    ticket: int
    reason: str
    used_s: float  # of CPU time


class ProcessClock:
    """The clock of one process."""

    def __init__(self) -> None:
        self._owed: dict[int, float] = {}  # by ticket: seconds allowed
        self._late: set[int] = set()  # tickets that timed out and are not answered yet
        self._mark = 0.0  # its CPU time at the last answer
        self._late_since: float | None = None  # its CPU time at the last timeout
        self._late_allowed = 0.0
        self._owes_since, self._owed_s = 0.0, 0.0

    @property
    def held(self) -> int:
        """Number of decisions that it holds."""
        return len(self._owed)

    @property
    def open(self) -> list[int]:
        """Tickets of the decisions that it holds."""
        return list(self._owed)

    def began(self, used: float) -> None:
        """The process is ready. Its CPU time so far is not charged to any decision."""
        self._mark = used

    def asked(self, tickets: Iterable[int], allowed: float, now: float) -> None:
        """These decisions were sent to it, with `allowed` seconds for each."""
        if not self._owed:
            self._owes_since = now
        self._owed.update(dict.fromkeys(tickets, allowed))

    def expects(self, tickets: Iterable[int]) -> bool:
        """Return whether one of these decisions is still to be answered, even if too late."""
        return any(ticket in self._owed or ticket in self._late for ticket in tickets)

    def answered(self, tickets: Iterable[int], used: float, now: float) -> dict[int, float]:
        """It has answered these. Return the CPU seconds of each that it held. Answers to anything
        else change nothing, so that they do not win time."""
        tickets = list(tickets)
        if not self.expects(tickets):
            return {}
        self._late.difference_update(tickets)
        charge = max(0.0, used - self._mark)
        charges = {ticket: charge for ticket in tickets if self._owed.pop(ticket, None) is not None}
        if charges:
            self._gave_back(now)
        self._mark, self._late_since = used, None
        return charges

    def overrun(self, used: float, now: float) -> list[Overrun]:
        """Remove and return the decisions whose time is up."""
        charge = used - self._mark
        over = []
        for ticket, allowed in list(self._owed.items()):
            if charge <= allowed:
                continue
            reason = f"It used {charge:.3f} s of CPU time. The limit is {allowed:g} s."
            over.append(Overrun(ticket, reason, charge))
            del self._owed[ticket]
            self._late.add(ticket)
            if self._late_since is None:
                self._late_since, self._late_allowed = used, allowed
        if over:
            self._gave_back(now)
            self._mark = used
        return over

    def is_stuck(self, used: float) -> bool:
        """Return whether it has computed for long after a timeout, and must be ended."""
        if self._late_since is None:
            return False
        return used - self._late_since > OVERTIME_SHARE * self._late_allowed + OVERTIME_S

    def next_look(self, used: float, now: float) -> float:
        """Return the earliest time at which a limit may be reached: CPU time runs no faster than
        time."""
        charge = used - self._mark
        looks = [inf, *(now + max(0.0, allowed - charge) for allowed in self._owed.values())]
        if self._late_since is not None:
            most = OVERTIME_SHARE * self._late_allowed + OVERTIME_S
            looks.append(now + max(0.0, most - (used - self._late_since)))
        return min(looks)

    def owed_s(self, now: float) -> float:
        """Return the wall time for which it has held a decision."""
        return self._owed_s + (now - self._owes_since if self._owed else 0.0)

    def _gave_back(self, now: float) -> None:
        """Count the wall time until now: decisions were answered or timed out."""
        self._owed_s += max(0.0, now - self._owes_since)
        self._owes_since = now

    def dropped(self, now: float) -> list[int]:
        """The process is gone. Return the tickets that it held."""
        tickets = self.open
        self._owed_s = self.owed_s(now)
        self._owed.clear()
        return tickets
