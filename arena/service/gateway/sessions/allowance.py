"""For how long a bot may be away in all before that costs it something."""

from __future__ import annotations

# What an answer gives back, as a share of the time for that move.
REGAINED = 0.01


class AbsenceAllowance:
    """Seconds of absence that are left to a bot, `most` at first. All its absences in which
    somebody waits for it share them, so that coming and going buys no time; answers give some
    back."""

    def __init__(self, most: float, left: float | None = None) -> None:
        """All of it, unless something is known of before."""
        self.most = most
        self.left = most if left is None else min(left, most)

    def spend(self, seconds: float) -> float:
        """Takes up to so many seconds out; how many there were."""
        spent = min(seconds, self.left)
        self.left -= spent
        return spent

    def regain(self, allowed: float) -> None:
        """A move was answered for which there were so many seconds."""
        self.left = min(self.most, self.left + REGAINED * allowed)
