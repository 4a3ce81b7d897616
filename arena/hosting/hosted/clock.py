"""The clocks of a hosted bot: the CPU time of decisions, and the waiting budget of matches.

This does no IO. CPU times are seconds as counted by the kernel; other times are monotonic seconds.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf

# CPU time after a timeout until the process is ended. The match goes on in a new one.
OVERTIME_SHARE, OVERTIME_S = 1.0, 1.0
SAMPLE_S = 0.5  # between two samples, on average
LEAST_SAMPLES = 10  # before a budget can be spent
MOST_MATCHES = 100_000  # including those whose end the arena did not report


@dataclass(frozen=True, slots=True)
class Overrun:
    """A decision that took too much CPU time."""

    ticket: int
    reason: str
    used_s: float  # of CPU time


class ProcessClock:
    """The move clock of a process: its open decisions and their CPU time.

    A decision is charged the CPU time since the process's last answer, or since it was ready. So
    thinking after an answer is charged to the next decision. `WaitingBudget` charges time without
    CPU use.
    """

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


class WaitingBudget:
    """Counts how long each match of a bot has waited without computing, up to `budget_s` seconds.

    A process is sampled at random times. If it waits at a sample (`Process.is_waiting`), it is
    charged the time since the last one. The sum is unbiased, whatever the process does between
    samples. A process that waits for a core, a disk or the host is not charged.
    """

    def __init__(
        self, budget_s: float, now: float, between: Callable[[float, float], float] = random.uniform
    ) -> None:
        self.budget_s = budget_s
        self._mean = min(SAMPLE_S, budget_s / LEAST_SAMPLES)
        self._between = between
        self._waited: dict[str, float] = {}  # seconds, by match
        self._spent: set[str] = set()
        self._draw(now)

    @property
    def any_spent(self) -> bool:
        """Whether a match under way has spent its budget."""
        return bool(self._spent)

    @property
    def reason(self) -> str:
        return (
            f"It kept its match waiting for {self.budget_s:g} s without computing, the limit per"
            " match. Remove sleeps and waits from the bot."
        )

    def _draw(self, now: float) -> None:
        self._interval = self._between(0.5 * self._mean, 1.5 * self._mean)
        self.next_sample = now + self._interval

    def sampled(self, now: float) -> float:
        """Return the seconds that a sample taken now stands for. A late sample counts no longer."""
        interval = self._interval
        self._draw(now)
        return interval

    def charge(self, matches: Iterable[str], seconds: float) -> bool:
        """Charge these matches. Return whether one of them has spent its budget."""
        spent = False
        for match in matches:
            if match not in self._waited and len(self._waited) >= MOST_MATCHES:
                self.over(next(iter(self._waited)))
            self._waited[match] = self._waited.get(match, 0.0) + seconds
            if self._waited[match] > self.budget_s:
                self._spent.add(match)
                spent = True
        return spent

    def spent_among(self, matches: Iterable[str]) -> set[str]:
        """Return which of these matches have spent their budget."""
        return self._spent.intersection(matches)

    def over(self, match: str) -> None:
        """Forget a match that has ended."""
        self._waited.pop(match, None)
        self._spent.discard(match)
