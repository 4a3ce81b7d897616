"""A tournament in a simulated arena, with faults drawn from a seed."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from random import Random

from arena.faultsim.bots import SimBot
from arena.faultsim.clock import SimClock
from arena.faultsim.gateway import SimGateway
from arena.faultsim.network import Network, Quality
from arena.faultsim.redis_model import RedisModel
from arena.faultsim.store_model import StoreModel
from arena.faultsim.worker import SimWorker
from arena.match import Seat
from arena.pairing import FromSecret, PlannedMatch, TournamentSpec, format_of
from arena.protocol.internal.relay_pb2 import Delivery
from workers.schedule import Limits, MatchFactory

TOURNAMENT = 1
RECONNECT_S = (0.1, 1.0)  # after how many seconds a bot without a stream tries again
RESTART_S = 1.0  # after which a process that died is replaced
FROZEN_S = (2.0, 90.0)  # how long a host stands still


@dataclass(frozen=True, slots=True)
class Setting:
    """What a simulated arena consists of, and how often what fails, in seconds on average."""

    spec: TournamentSpec
    batch: int = 16  # matches
    workers: int = 2
    gateways: int = 2
    window: int = 24  # matches in flight of each worker
    slice_s: float = 60.0
    grace_s: float = 10.0
    max_in_flight: int = 16
    network: Quality = field(default_factory=Quality)  # between workers and gateways
    worker_crash_s: float = 0.0  # 0: never
    worker_stop_s: float = 0.0
    gateway_crash_s: float = 0.0
    gateway_freeze_s: float = 0.0  # its host stands still for FROZEN_S
    stream_cut_s: float = 0.0
    most_faults: float = inf  # after so many nothing fails any more


class World:
    """All processes of an arena, and the bots."""

    def __init__(self, setting: Setting, seed: int) -> None:
        self.setting = setting
        self.clock = SimClock()
        self.faults = Counter[str]()  # drawn so far
        self._rng = Random(seed)
        self.redis = RedisModel(self.clock)
        self.store = StoreModel(TOURNAMENT)
        self.network = Network(self.clock, self._rng, setting.network)
        spec = setting.spec
        self.bots = [SimBot(name, player) for player, name in enumerate(spec.bots, start=1)]
        self.factory = MatchFactory(
            spec,
            tuple(bot.player for bot in self.bots),
            {bot.player: Seat(bot.name) for bot in self.bots},
            FromSecret(self._rng.randbytes(32), TOURNAMENT),
        )
        self.batches = dict(enumerate(self._planned()))
        self._queue = deque(self.batches)
        self._limits = Limits(setting.window, setting.slice_s, setting.grace_s)
        self.gateways: dict[str, SimGateway] = {}
        self.workers: list[SimWorker] = []
        self._start()

    def _planned(self) -> list[Sequence[PlannedMatch]]:
        spec, size = self.setting.spec, self.setting.batch
        format_, matches, block = format_of(spec.format), list[PlannedMatch](), 0
        while planned := format_.block(spec, block):
            matches += planned
            block += 1
        return [matches[first : first + size] for first in range(0, len(matches), size)]

    def _start(self) -> None:
        for number in range(self.setting.gateways):
            self._start_gateway(number)
        for bot in self.bots:
            self.clock.call_after(self._rng.uniform(0.0, 0.1), partial(self._keep_connected, bot))
        for _ in range(self.setting.workers):
            self.clock.call_after(0.2, self._start_worker)
        for name, fault, seconds in (
            ("worker crashed", self._crash_worker, self.setting.worker_crash_s),
            ("worker stopped", self._stop_worker, self.setting.worker_stop_s),
            ("gateway crashed", self._crash_gateway, self.setting.gateway_crash_s),
            ("gateway frozen", self._freeze_gateway, self.setting.gateway_freeze_s),
            ("stream cut", self._cut_stream, self.setting.stream_cut_s),
        ):
            if seconds:
                self._draw(name, fault, seconds)

    def run(self, limit_s: float = 3600.0) -> bool:
        """Plays; whether all batches were completed within so many simulated seconds."""
        return self.clock.run(lambda: len(self.store.completed) == len(self.batches), limit_s)

    # What workers reach

    def claim(self) -> tuple[int, Sequence[PlannedMatch]] | None:
        """The next batch of the queue."""
        while self._queue:
            number = self._queue.popleft()
            if number not in self.store.completed:
                return number, self.batches[number]
        return None

    def give_back(self, batch: int) -> None:
        """Puts a batch back into the queue."""
        self._queue.append(batch)

    def deliver(self, gateway: str, deliveries: Sequence[Delivery]) -> None:
        """Sends to a gateway's inbox; what a dead one had is lost."""
        self.network.send(deliveries, self.gateways[gateway].deliver)

    # Processes

    def _start_worker(self) -> None:
        """A free worker takes what waits; if nothing does it looks again soon."""
        if not self._queue:
            self.clock.call_after(RESTART_S, self._start_worker)
            return
        limits, ended = self._limits, self._worker_ended
        self.workers.append(SimWorker(self, self._rng, limits, TOURNAMENT, ended))

    def _worker_ended(self, worker: SimWorker) -> None:
        self.workers.remove(worker)
        self.clock.call_after(0.01, self._start_worker)

    def _start_gateway(self, number: int) -> None:
        name = f"gateway-{number}"
        grace_s = self.setting.grace_s
        self.gateways[name] = SimGateway(
            name, self.clock, self.redis, self.network, grace_s=grace_s
        )

    def _living(self) -> list[SimGateway]:
        return [gateway for gateway in self.gateways.values() if gateway.alive]

    def _keep_connected(self, bot: SimBot) -> None:
        """A bot program: connects whenever it has no stream."""
        working = [gateway for gateway in self._living() if gateway.works]
        if working and not any(gateway.connected(bot.player) for gateway in self._living()):
            gateway = self._rng.choice(working)
            gateway.connect(bot, [self.setting.spec.game], self.setting.max_in_flight)
        wait = self._rng.uniform(*RECONNECT_S)
        self.clock.call_after(wait, partial(self._keep_connected, bot))

    # Faults

    def _draw(self, name: str, fault: Callable[[], bool], seconds: float) -> None:
        """Has a fault happen again and again, every so many seconds on average."""

        def happen() -> None:
            if self.faults.total() < self.setting.most_faults:
                self.faults[name] += fault()
                self._draw(name, fault, seconds)

        self.clock.call_after(self._rng.expovariate(1 / seconds), happen)

    def _crash_worker(self) -> bool:
        if not self.workers:
            return False
        worker = self._rng.choice(self.workers)
        worker.crash()
        self.workers.remove(worker)
        self.clock.call_after(RESTART_S, self._start_worker)
        return True

    def _stop_worker(self) -> bool:
        if not self.workers:
            return False
        self._rng.choice(self.workers).schedule.stop_requested()
        return True

    def _crash_gateway(self) -> bool:
        working = [gateway for gateway in self._living() if gateway.works]
        if len(working) < 2:
            return False  # without any, nothing is tried but patience
        gateway = self._rng.choice(working)
        gateway.crash()
        number = len(self.gateways)
        self.clock.call_after(RESTART_S, partial(self._start_gateway, number))
        return True

    def _freeze_gateway(self) -> bool:
        working = [gateway for gateway in self._living() if gateway.works]
        if len(working) < 2:
            return False
        self._rng.choice(working).freeze(self._rng.uniform(*FROZEN_S))
        return True

    def _cut_stream(self) -> bool:
        bot = self._rng.choice(self.bots)
        for gateway in self._living():
            if gateway.works and gateway.connected(bot.player):
                gateway.cut(bot.player)
                return True
        return False
