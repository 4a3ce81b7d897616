"""How long a bot may be away before it forfeits. Times are monotonic seconds."""

from collections.abc import Sequence

from arena.base.instant import overlap
from arena.base.keepalive import REGAINED
from arena.service.gateway.sessions.batches import DecisionBatch


class AbsenceAllowance:
    """Seconds of absence that are left to a bot, `most` at first. All absences in which matches
    wait for the bot share them, so that reconnecting buys no time. Answers give some back."""

    def __init__(self, most: float, left: float | None = None) -> None:
        """`left` is known if the bot comes from another gateway."""
        self.most = most
        self.left = most if left is None else min(left, most)
        self._since = 0.0  # start of the current absence

    # An absence

    def start(self, now: float) -> None:
        """The bot has lost its stream."""
        self._since = now

    def hold(self, since: float, until: float) -> None:
        """Do not count this time as absence."""
        self._since += overlap(self._since, since, until)

    def lasts(self, now: float, *, awaited: bool) -> bool:
        """Return whether the bot may still come back. Earlier absences count only if matches wait
        for it (`awaited`)."""
        return now - self._since < (self.left if awaited else self.most)

    def end(self, begun: Sequence[DecisionBatch], now: float, *, awaited: bool) -> None:
        """The bot is back. Absence beyond the allowance is taken from the clocks that have begun to
        run. The allowance pays for at least a second on each."""
        absence = now - self._since if awaited else 0.0
        unpaid = absence - self.spend(absence)
        for batch in begun:
            batch.left -= unpaid
        paid = self.spend(max((batch.lacks() for batch in begun), default=0.0))
        for batch in begun:
            batch.left += min(batch.lacks(), paid)

    # The allowance

    def spend(self, seconds: float) -> float:
        """Take out up to `seconds`. Return how many there were."""
        spent = min(seconds, self.left)
        self.left -= spent
        return spent

    def regain(self, allowed: float) -> None:
        """Give back some time for answers to decisions of `allowed` seconds together."""
        self.left = min(self.most, self.left + REGAINED * allowed)
