"""Measures how fast a bot answers: questions a second for each load, the questions it holds.

Time in which it holds nothing counts for nothing: how busy the arena keeps it is no matter of the
bot's. It is measured in windows in which all questions that were held have changed about twice,
since answers often come in bursts, and each window counts for its mean load. What the counts mean:
`arena.service.forecast.rates`. Times are of a monotonic clock, in seconds; nothing here reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp

from arena.service.live.answer_rates import AnswerCounts, Loads

WINDOW, TURNS = 8, 2  # answers in a window, and times as many as were held in it, at least
FORGET = 20_000  # answers in a game; then all that was counted in it counts half
RECENT_S = 5.0  # time within which two thirds of a recent mean are renewed
RECALLED = 100  # answers at a load; what is known of earlier sessions counts as no more


class RecentMean:
    """The mean of a number over time; what it was a while ago counts less."""

    def __init__(self) -> None:
        self._value = self._mean = self._since = 0.0

    def changes(self, now: float, value: float) -> None:
        """From now on it is this."""
        self._mean, self._since, self._value = self.mean(now), now, value

    def mean(self, now: float) -> float:
        """Its mean until now."""
        kept = exp(-max(now - self._since, 0.0) / RECENT_S)
        return kept * self._mean + (1 - kept) * self._value


class Meter:
    """Measures one bot."""

    def __init__(self, now: float = 0.0) -> None:
        self.fresh = True  # something was counted since this was last set to False
        self.by_game: dict[str, Loads] = {}
        self._game = ""
        self._window, self._most = AnswerCounts(), 0
        self._now, self._held = now, 0

    def recall(self, by_game: Mapping[str, Loads]) -> None:
        """Begins with what is known of earlier sessions. The program may be another by now."""
        for game, loads in by_game.items():
            for load in loads.values():
                load.weaken(min(1.0, RECALLED / max(load.answers, 1.0)))
            self.by_game.setdefault(game, dict(loads))

    def asks(self, game: str) -> None:
        """From now on the questions are of this game."""
        if game != self._game:
            self._game = game
            self._window, self._most = AnswerCounts(), 0

    def holds(self, now: float, held: int, answered: int = 0) -> None:
        """The bot holds so many questions from now on; so many were answered at this moment."""
        if self._held and self._game:
            window, passed = self._window, max(now - self._now, 0.0)
            window.seconds += passed
            window.held += self._held * passed
            window.answers += answered
            self._most = max(self._most, self._held)
            if answered and window.answers >= max(WINDOW, TURNS * self._most):
                self._close()
        self._now, self._held = now, held

    def skip(self, seconds: float) -> None:
        """So much of the time since the last change is not the bot's."""
        self._now += seconds

    def _close(self) -> None:
        """Counts the window."""
        window, self._window, self._most = self._window, AnswerCounts(), 0
        if not window.seconds:
            return
        loads = self.by_game.setdefault(self._game, {})
        load = loads.setdefault(
            max(1, round(window.held / window.seconds)).bit_length(), AnswerCounts()
        )
        load.seconds += window.seconds
        load.held += window.held
        load.answers += window.answers
        self.fresh = True
        if sum(each.answers for each in loads.values()) > FORGET:
            for each in loads.values():
                each.weaken(0.5)
