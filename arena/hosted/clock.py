"""The move clock of a process: what it holds open, and what it is charged for.

A decision is charged the CPU time that the process used since it last owed nothing to it: since its
last answer, or since it was ready. So what it thinks on after an answer is charged to the next one.
Wall time is only a guard against a process that waits for something that never comes. This does no
IO; CPU times and times are seconds, the one as the kernel counts for the process, the other by
a clock that stands still while the process waits for a core (`Process.now`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

# A process that has not come back after so much more is ended; the match goes on in a new one.
OVERTIME_SHARE, OVERTIME_S = 1.0, 1.0


@dataclass(frozen=True, slots=True)
class Guard:
    """For how long a decision may stay open by the wall clock: however slow the machine, an answer
    that takes longer is not being computed."""

    seconds: float = 30.0
    share: float = 20.0  # of the time that it has

    def of(self, allowed: float) -> float:
        """The same for a decision with so many seconds of CPU time."""
        return self.seconds + self.share * allowed


@dataclass(frozen=True, slots=True)
class Overrun:
    """A decision that took too long."""

    ticket: int
    reason: str
    used_s: float  # of CPU time


class ProcessClock:
    """The clock of one process."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._owed: dict[int, float] = {}  # by ticket: seconds allowed
        self._asked: dict[int, float] = {}  # by ticket: when
        self._mark = 0.0  # its CPU time when it last owed nothing more
        self._late_since: float | None = None  # its CPU time when a decision ran out, if one did
        self._late_allowed = 0.0
        self._hangs = False

    @property
    def held(self) -> int:
        """How many decisions it holds."""
        return len(self._owed)

    @property
    def open(self) -> list[int]:
        """The tickets of what it holds."""
        return list(self._owed)

    def began(self, used: float, now: float) -> None:
        """The process is ready; what it took until now is nobody's."""
        self._mark = used
        self._asked = dict.fromkeys(self._asked, now)

    def asked(self, tickets: Iterable[int], allowed: float, now: float) -> None:
        """These decisions were given to it, with so many seconds for each."""
        for ticket in tickets:
            self._owed[ticket] = allowed
            self._asked[ticket] = now

    def answered(self, tickets: Iterable[int], used: float) -> dict[int, float]:
        """It has answered these. Of those that it holds: what they are charged, CPU seconds."""
        charge = max(0.0, used - self._mark)
        charges = {ticket: charge for ticket in tickets if self._owed.pop(ticket, None) is not None}
        for ticket in charges:
            del self._asked[ticket]
        self._mark, self._late_since = used, None
        return charges

    def overrun(self, used: float, now: float) -> list[Overrun]:
        """The decisions whose time is up; it holds them no longer."""
        charge = used - self._mark
        over = []
        for ticket, allowed in list(self._owed.items()):
            waited = now - self._asked[ticket]
            if charge > allowed:
                reason = f"It used {charge:.3f} s of CPU time; it has {allowed:g} s."
            elif waited > self._guard.of(allowed):
                self._hangs = True
                reason = (
                    f"No answer for {waited:.0f} s, in which it used {charge:.3f} s of CPU time."
                )
            else:
                continue
            over.append(Overrun(ticket, reason, charge))
            del self._owed[ticket], self._asked[ticket]
            if self._late_since is None:
                self._late_since, self._late_allowed = used, allowed
        if over:
            self._mark = used
        return over

    def guard_ends(self) -> float:
        """When the first decision that it holds will have been open for too long."""
        ends = (self._asked[one] + self._guard.of(allowed) for one, allowed in self._owed.items())
        return min(ends, default=inf)

    def is_stuck(self, used: float) -> bool:
        """Whether it is to be ended: it goes on long after its time was up, or waits for what never
        comes."""
        if self._late_since is None or self._hangs:
            return self._hangs
        return used - self._late_since > OVERTIME_SHARE * self._late_allowed + OVERTIME_S

    def next_look(self, used: float, now: float) -> float:
        """When something may be up at the earliest: CPU time runs no faster than time does."""
        looks = [inf]
        charge = used - self._mark
        for ticket, allowed in self._owed.items():
            looks.append(now + max(0.0, allowed - charge))
            looks.append(self._asked[ticket] + self._guard.of(allowed))
        if self._late_since is not None:
            most = OVERTIME_SHARE * self._late_allowed + OVERTIME_S
            looks.append(now + max(0.0, most - (used - self._late_since)))
        return min(looks)

    def dropped(self) -> list[int]:
        """It is gone: the tickets of what it held."""
        tickets = self.open
        self._owed.clear()
        self._asked.clear()
        return tickets
