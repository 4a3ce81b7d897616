"""A simulated arena with matches, bots and a clock.

A match is a number of decisions, which its seats make by rotation. Bots hold up to their limit of
questions and answer them together or one by one. The arena needs some time for each decision,
sequentially. The results are the end of each match and the counters of the gateways.
"""

import heapq
import random
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import inf

from arena.service.gateway.sessions.load import Meter, RecentMean
from arena.service.live.player_presence import Paces, Presence


@dataclass
class Thinker:
    """A simulated bot: seconds for an answer, and the most questions held at a time."""

    seconds: float
    at_once: int = 256
    in_turn: bool = False
    meter: Meter = field(default_factory=lambda: Meter(0.0))
    waiting: deque[Callable[[], None]] = field(default_factory=deque)
    held: int = 0
    free_at: float = 0.0  # end of its current work, if it answers one by one
    queue: RecentMean = field(default_factory=RecentMean)


class Simulation:
    """Plays matches; `hop_s` is the arena's time for each decision."""

    def __init__(self, bots: Sequence[Thinker], hop_s: float = 1 / 16_000, seed: int = 1) -> None:
        self.bots, self.hop_s = bots, hop_s
        self.now = 0.0
        self.ended: list[tuple[float, tuple[int, ...]]] = []  # time and players
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count()
        self._arena_free_at = 0.0
        self._chance = random.Random(seed)
        for bot in bots:
            bot.meter.asks("lama")

    def play(
        self,
        matches: Iterable[tuple[int, ...]],
        decisions: float,
        in_flight: int,
        until: float = inf,
    ) -> None:
        """Plays until all matches are over or the time is reached. `decisions` is the mean length
        of a match, `in_flight` the number of concurrent matches."""
        todo = iter(matches)

        def begin() -> None:
            seats = next(todo, None)
            if seats is not None:
                length = round(decisions * self._chance.uniform(0.5, 1.5))
                self._step(seats, 0, length, begin)

        for _ in range(in_flight):
            begin()
        while self._events and self.now < until:
            self.now, _, happen = heapq.heappop(self._events)
            happen()

    def paces(self) -> dict[int, Paces]:
        """The gateways' counters of each bot; bots are players 1, 2, ..."""
        return {
            player: Paces(bot.at_once, bot.meter.by_game) for player, bot in enumerate(self.bots, 1)
        }

    def here(self) -> dict[int, Presence]:
        """The presence of each bot in Redis."""
        return {
            player: Presence(
                player=player, bot=f"bot-{player - 1}", version="1", gateway="g1", session="1",
                since=0.0, games=("lama",), min_seats=2, max_seats=6, max_in_flight=bot.at_once,
                sdk="sdk", in_flight=bot.held, queue=bot.queue.mean(self.now),
            )
            for player, bot in enumerate(self.bots, 1)
        }  # fmt: skip

    def _at(self, when: float, happen: Callable[[], None]) -> None:
        heapq.heappush(self._events, (when, next(self._numbers), happen))

    def _step(
        self, seats: tuple[int, ...], done: int, length: int, then: Callable[[], None]
    ) -> None:
        if done == length:
            self.ended.append((self.now, seats))
            then()
            return
        self._arena_free_at = max(self._arena_free_at, self.now) + self.hop_s
        bot = self.bots[seats[done % len(seats)]]
        answered = lambda: self._step(seats, done + 1, length, then)  # noqa: E731
        self._at(self._arena_free_at, lambda: self._ask(bot, answered))

    def _ask(self, bot: Thinker, answered: Callable[[], None]) -> None:
        bot.queue.changes(self.now, bot.held + len(bot.waiting) + 1)
        if bot.held >= bot.at_once:
            bot.waiting.append(answered)
            return
        bot.held += 1
        bot.meter.holds(self.now, bot.held)
        begins = max(bot.free_at, self.now) if bot.in_turn else self.now
        bot.free_at = begins + bot.seconds
        self._at(bot.free_at, lambda: self._answer(bot, answered))

    def _answer(self, bot: Thinker, answered: Callable[[], None]) -> None:
        bot.held -= 1
        bot.meter.holds(self.now, bot.held, 1)
        bot.queue.changes(self.now, bot.held + len(bot.waiting))
        if bot.waiting:
            self._ask(bot, bot.waiting.popleft())
        answered()


def sat(matches: Iterable[tuple[int, ...]]) -> dict[int, int]:
    """The number of these matches with each bot; bots count from 0."""
    found: dict[int, int] = defaultdict(int)
    for seats in matches:
        for bot in seats:
            found[bot] += 1
    return dict(found)
