"""Waiting lines of an arena on several hosts, simulated event by event.

Workers, gateways, Redis and bots are processes: each serves one message after the other, for as
long as the measured costs say, on a core of its host. Matches are in flight in closed loops: a
decision goes from worker through Redis and gateway to the bot and back, and the worker takes the
next pass when all replies have come, or twelve milliseconds after the first one. Finished matches
are stored by a writer that all workers share, as all that rate a game do.

What is not simulated: the network's delay (but as `think_s`), pauses, other users of a host.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from arena.capacity.costs import Costs, StationCost

GATHER_S = 0.012  # as `workers.shared_run` waits
STORED_TOGETHER = 250

Then = Callable[[], None]
Work = Callable[[], tuple[float, Then]]  # asked when it begins: how long it takes, and what follows


@dataclass(frozen=True)
class Fleet:
    """What there is: processes of each kind, and cores of their hosts. With `one_host` all share
    so many cores; else each process has one to itself. Bots think `think_s` about a message."""

    workers: int = 2
    gateways: int = 1
    bots: int = 4
    window: int = 256  # matches in flight of a worker
    decisions_per_match: int = 162
    think_s: float = 0.0
    one_host: int = 0
    bot_processes: int = 2


@dataclass(frozen=True)
class Course:
    """What came of it: per second of simulated time, and how busy a process of each kind was."""

    seconds: float
    decisions_per_s: float
    matches_per_s: float
    together: float
    busy: dict[str, float]


def simulate(fleet: Fleet, costs: Costs, seconds: float = 5.0, seed: int = 1) -> Course:
    """Runs a fleet for so many simulated seconds; the first fifth is not counted."""
    return _World(fleet, costs, random.Random(seed)).run(seconds)


class _Clock:
    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, int, Then]] = []
        self._order = count()

    def after(self, seconds: float, then: Then) -> None:
        heapq.heappush(self._due, (self.now + seconds, next(self._order), then))

    def run_until(self, end: float) -> None:
        while self._due and self._due[0][0] <= end:
            self.now, _, then = heapq.heappop(self._due)
            then()
        self.now = end


class _Host:
    """Cores, which processes take in turn."""

    def __init__(self, clock: _Clock, cores: int) -> None:
        self._clock = clock
        self._free = cores
        self._waiting: deque[tuple[float, Then]] = deque()

    def serve(self, seconds: float, then: Then) -> None:
        self._waiting.append((seconds, then))
        self._go_on()

    def _go_on(self) -> None:
        while self._free and self._waiting:
            seconds, then = self._waiting.popleft()
            self._free -= 1
            self._clock.after(seconds, partial(self._done, then))

    def _done(self, then: Then) -> None:
        self._free += 1
        then()
        self._go_on()


@dataclass
class _Process:
    """Serves one after the other."""

    host: _Host
    busy_s: float = 0.0
    _waiting: deque[Work] = field(default_factory=deque)
    _serves: bool = False

    def serve(self, seconds: float, then: Then) -> None:
        self.begin(lambda: (seconds, then))

    def begin(self, work: Work) -> None:
        self._waiting.append(work)
        if not self._serves:
            self._next()

    def _next(self) -> None:
        self._serves = bool(self._waiting)
        if self._waiting:
            seconds, then = self._waiting.popleft()()
            self.busy_s += seconds
            self.host.serve(seconds, partial(self._served, then))

    def _served(self, then: Then) -> None:
        then()
        self._next()


@dataclass
class _Worker:
    process: _Process
    left: list[int]  # decisions of each match in flight
    away: int = 0  # messages
    arrived: list[list[int]] = field(default_factory=list)  # matches, by reply
    finished: int = 0  # and not stored yet
    pass_number: int = 0
    at_work: bool = False


_Delivery = tuple[_Worker, list[int]]


class _World:
    def __init__(self, fleet: Fleet, costs: Costs, rng: random.Random) -> None:
        self._fleet, self._costs, self._rng = fleet, costs, rng
        self._clock = _Clock()
        self._shared = _Host(self._clock, fleet.one_host) if fleet.one_host else None
        self._redis, self._writer = self._process(), self._process()
        self._gateways = [self._process() for _ in range(fleet.gateways)]
        self._bots = [self._process() for _ in range(fleet.bot_processes)]
        each = fleet.decisions_per_match
        self._workers = [
            _Worker(self._process(), [rng.randint(1, each) for _ in range(fleet.window)])
            for _ in range(fleet.workers)
        ]
        self._for_bots: dict[int, list[_Delivery]] = {}
        self._counts: Counter[str] = Counter()

    def run(self, seconds: float) -> Course:
        for worker in self._workers:
            self._send(worker, list(range(self._fleet.window)))
        self._clock.run_until(seconds / 5)
        before, busy = self._counts.copy(), self._busy()
        self._clock.run_until(seconds)
        done = self._counts - before
        span = 0.8 * seconds
        return Course(
            span,
            done["decisions"] / span,
            done["matches"] / span,
            done["decisions"] / max(1, done["messages"]),
            {kind: (spent - busy[kind]) / span for kind, spent in self._busy().items()},
        )

    def _busy(self) -> dict[str, float]:
        """Seconds for which a process of each kind has worked, on average."""
        kinds = {
            "worker": [worker.process for worker in self._workers],
            "gateway": self._gateways,
            "Redis": [self._redis],
            "rating": [self._writer],
            "bots": self._bots,
        }
        return {kind: sum(one.busy_s for one in some) / len(some) for kind, some in kinds.items()}

    def _process(self) -> _Process:
        return _Process(self._shared or _Host(self._clock, 1))

    def _send(self, worker: _Worker, matches: list[int]) -> None:
        """One pass: a message for each bot that is to decide, after the worker's time for all."""
        by_bot: dict[int, list[int]] = {}
        for match in matches:
            by_bot.setdefault(self._rng.randrange(self._fleet.bots), []).append(match)
        worker.away += len(by_bot)
        worker.at_work = True
        taken = sum(_time(self._costs.worker, len(some)) for some in by_bot.values())
        worker.process.serve(taken, partial(self._leave, worker, by_bot))

    def _leave(self, worker: _Worker, by_bot: dict[int, list[int]]) -> None:
        worker.at_work = False
        for bot, some in by_bot.items():
            taken = _time(self._costs.redis, len(some))
            self._redis.serve(taken, partial(self._at_gateway, bot, (worker, some)))

    def _at_gateway(self, bot: int, delivery: _Delivery) -> None:
        """What waits for the same bot leaves in one message."""
        waiting = self._for_bots.setdefault(bot, [])
        waiting.append(delivery)
        if len(waiting) == 1:
            self._gateways[bot % len(self._gateways)].begin(partial(self._message, bot))

    def _message(self, bot: int) -> tuple[float, Then]:
        deliveries = self._for_bots.pop(bot)
        decisions = sum(len(some) for _, some in deliveries)
        self._counts["messages"] += 1
        self._counts["decisions"] += decisions
        program = self._bots[bot % len(self._bots)]
        taken = _time(self._costs.bot, decisions)
        then = partial(program.serve, taken, partial(self._answered, deliveries))
        return _time(self._costs.gateway, decisions), then

    def _answered(self, deliveries: list[_Delivery]) -> None:
        away = self._fleet.think_s + self._costs.latency_us / 1e6
        for worker, some in deliveries:
            self._clock.after(away, partial(self._reply, worker, some))

    def _reply(self, worker: _Worker, some: list[int]) -> None:
        worker.arrived.append(some)
        worker.away -= 1
        if not worker.away:
            self._next_pass(worker, worker.pass_number)
        elif len(worker.arrived) == 1:
            number = worker.pass_number
            self._clock.after(GATHER_S, partial(self._next_pass, worker, number))

    def _next_pass(self, worker: _Worker, number: int) -> None:
        if number != worker.pass_number or not worker.arrived or worker.at_work:
            return
        worker.pass_number += 1
        matches = [match for some in worker.arrived for match in some]
        worker.arrived = []
        worker.finished += self._advance(worker, matches)
        if worker.finished < STORED_TOGETHER:
            self._send(worker, matches)
            return
        stored, worker.finished, worker.at_work = worker.finished, 0, True
        taken = stored * self._costs.lock_us / 1e6
        self._writer.serve(taken, partial(self._send, worker, matches))

    def _advance(self, worker: _Worker, matches: list[int]) -> int:
        """Answers a decision of each of these matches; a new match takes the place of one that has
        ended. Returns how many have."""
        ended = 0
        for match in matches:
            worker.left[match] -= 1
            if not worker.left[match]:
                worker.left[match] = self._fleet.decisions_per_match
                ended += 1
        self._counts["matches"] += ended
        return ended


def _time(cost: StationCost, decisions: int) -> float:
    """Seconds for a message of so many decisions."""
    return (cost.message_us + decisions * cost.decision_us) / 1e6
