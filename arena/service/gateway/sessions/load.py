"""How many decisions a bot has, and how fast it answers: decisions per second, by load (the number
of decisions it holds).

Time without decisions does not count. Answers often come in bursts, so a window lasts until the
held decisions have changed about twice, and counts for its mean load.
`arena.service.forecast.entrants` interprets the counts. Times are monotonic seconds, passed by the
caller.
"""

from collections.abc import Mapping, Sequence
from math import exp

from arena.service.live.player_presence import AnswerCounts, Loads

WINDOW, TURNS = 8, 2  # minimum answers in a window: in total, and per decision held
FORGET = 20_000  # answers in a game, after which its counts are halved
RECENT_S = 5.0  # time constant of a recent mean
RECALLED = 100  # maximum weight of earlier sessions, in answers at a load
LATENCY_WEIGHT = 0.05  # of a new answer in the moving mean


class RecentMean:
    """The exponentially weighted mean of a number over time."""

    def __init__(self) -> None:
        self._value = self._mean = self._since = 0.0

    def changes(self, now: float, value: float) -> None:
        """Set the number from now on."""
        self._mean, self._since, self._value = self.mean(now), now, value

    def mean(self, now: float) -> float:
        """Return the mean until now."""
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
        """Start with the counts of earlier sessions, weakened since the program may have
        changed."""
        for game, loads in by_game.items():
            for load in loads.values():
                load.weaken(min(1.0, RECALLED / max(load.answers, 1.0)))
            self.by_game.setdefault(game, dict(loads))

    def asks(self, game: str) -> None:
        """Set the game of the decisions from now on."""
        if game != self._game:
            self._game = game
            self._window, self._most = AnswerCounts(), 0

    def holds(self, now: float, held: int, answered: int = 0) -> None:
        """The bot holds `held` decisions from now on, and has just answered `answered`."""
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
        """Exclude this time since the last change."""
        self._now += seconds

    def _close(self) -> None:
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


class SessionLoad:
    """Measures one session."""

    def __init__(self) -> None:
        self.meter = Meter()
        self.latency_ms: float | None = None  # moving mean
        self.changed = 0.0  # when the number of open decisions changed last
        self._queue = RecentMean()  # of open decisions

    def queue(self, now: float | None = None) -> float:
        """Return the recent mean of open decisions, as of now or of the last change."""
        return self._queue.mean(self.changed if now is None else now)

    def changes(self, now: float, held: int, waiting: int, answered: int = 0) -> None:
        """From now on the bot holds `held` decisions, and `waiting` more wait. It has answered so
        many at this moment."""
        self.meter.holds(now, held, answered)
        self._queue.changes(now, held + waiting)
        self.changed = now

    def answered(self, latencies_us: Sequence[int]) -> None:
        """Take answers into the mean latency, as if each came by itself."""
        count = len(latencies_us)
        mean, new = self.latency_ms, sum(latencies_us) / count / 1000
        if mean is not None:
            new += (1 - LATENCY_WEIGHT) ** count * (mean - new)
        self.latency_ms = new
