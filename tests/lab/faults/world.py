"""Tournaments in a simulated arena, with faults drawn from a seed."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from random import Random
from typing import TypeVar

from arena.protocol.internal.relay_pb2 import Delivery
from arena.tournaments.formats import TournamentSpec
from tests.lab.faults.bots import SimBot
from tests.lab.faults.clock import SimClock
from tests.lab.faults.faults import KINDS, KINDS_OF_HOSTS, InjectedFault
from tests.lab.faults.gateway import SimGateway
from tests.lab.faults.network import Network, Quality
from tests.lab.faults.redis_model import RedisModel
from tests.lab.faults.store_model import StoreModel
from tests.lab.faults.tournament import SimTournament
from tests.lab.faults.worker import SimWorker
from workers.schedule import ScheduleLimits

T = TypeVar("T")

RECONNECT_S = (0.1, 1.0)  # until a bot without a stream tries again
RESTART_S = 1.0  # until a crashed process is replaced
SWEEP_S = 1.0
LOOK_S = 0.2  # until a free worker looks for batches again


@dataclass(frozen=True, slots=True)
class Setting:
    """The parts of a simulated arena, and the mean seconds between faults (0: never)."""

    spec: TournamentSpec
    more: tuple[TournamentSpec, ...] = ()  # further tournaments at the same time
    batch: int = 16  # matches
    workers: int = 2
    gateways: int = 2
    window: int = 24  # matches in flight of each worker
    slice_s: float = 60.0
    grace_s: float = 10.0
    max_in_flight: int = 16
    think_s: float = 0.001  # of each bot, for a message
    withdraw_after: int = 20  # matches that absent bots forfeit in a row
    late: Mapping[str, float] = field(default_factory=dict)  # seconds until bots connect
    hosted: frozenset[str] = frozenset()  # bots of the only host
    host_crash_s: float = 0.0
    network: Quality = field(default_factory=Quality)  # between workers and gateways
    faults: tuple[InjectedFault, ...] = ()  # at given times
    worker_crash_s: float = 0.0
    worker_stop_s: float = 0.0
    gateway_crash_s: float = 0.0
    gateway_freeze_s: float = 0.0
    stream_cut_s: float = 0.0
    most_faults: float = inf  # random faults at most


class SimArena:
    """All processes of an arena, and the bots."""

    def __init__(self, setting: Setting, seed: int) -> None:
        self.setting, self.withdraw_after = setting, setting.withdraw_after
        self.clock = SimClock()
        self.faults = Counter[str]()  # so far
        self._rng = Random(seed)
        self.redis = RedisModel(self.clock)
        self.store = StoreModel(self.clock)
        self.network = Network(self.clock, self._rng, setting.network)
        specs = (setting.spec, *setting.more)
        names = sorted({name for spec in specs for name in spec.bots})
        self.bots = [
            SimBot(name, player, setting.think_s, name in setting.hosted)
            for player, name in enumerate(names, start=1)
        ]
        self.tournaments = {
            number: SimTournament(number, spec, self.bots, setting.batch, self._rng)
            for number, spec in enumerate(specs, start=1)
        }
        self.planned = [
            (number, batch) for number, each in self.tournaments.items() for batch in each.batches
        ]
        self.ended: dict[int, float] = {}  # when each tournament was complete
        self._limits = ScheduleLimits(setting.window, setting.slice_s, setting.grace_s)
        self._beat_until = 0.0
        self._hostless_until = 0.0
        self.gateways: dict[str, SimGateway] = {}
        self.workers: list[SimWorker] = []
        self._start()

    def _start(self) -> None:
        for number in range(self.setting.gateways):
            self._start_gateway(number)
        for bot in self.bots:
            comes = self._rng.uniform(0.0, 0.1) + self.setting.late.get(bot.name, 0.0)
            self.clock.call_after(comes, partial(self._keep_connected, bot))
        self.redis.queue.add(self.planned)
        self.clock.every(SWEEP_S, self._sweep, lambda: True)
        for _ in range(self.setting.workers):
            self.clock.call_after(0.2, self._start_worker)
        for fault in self.setting.faults:
            self.clock.call_at(fault.at, partial(self._happen, fault))
        for kind, seconds in (
            ("worker crashed", self.setting.worker_crash_s),
            ("worker stopped", self.setting.worker_stop_s),
            ("gateway crashed", self.setting.gateway_crash_s),
            ("gateway frozen", self.setting.gateway_freeze_s),
            ("stream cut", self.setting.stream_cut_s),
            ("host crashed", self.setting.host_crash_s),
        ):
            if seconds:
                self._draw(kind, seconds)

    def run(self, limit_s: float = 3600.0) -> bool:
        """Play. Return whether all batches were completed within `limit_s` simulated seconds."""
        return self.clock.run(self._complete, limit_s)

    def _complete(self) -> bool:
        return len(self.store.completed) == len(self.planned)

    # Called by workers

    def deliver(self, gateway: str, deliveries: Sequence[Delivery]) -> None:
        """Send to the inbox of a gateway. A crashed one loses its inbox."""
        self.network.send(deliveries, self.gateways[gateway].deliver)

    def _sweep(self) -> None:
        """Requeue batches that are neither pending nor leased; see `workers.advancing.sweep`."""
        if self.clock.now < self._beat_until or not (self.redis.works and self.store.works):
            return
        open_ = [batch for batch in self.planned if batch not in self.store.completed]
        self.redis.queue.add(self.redis.queue.missing(open_))
        left = {tournament for tournament, _ in open_}
        for number in self.tournaments.keys() - left - self.ended.keys():
            self.ended[number] = self.clock.now

    # Processes

    def _start_worker(self) -> None:
        """Start a worker if batches are pending, or look again soon."""
        if not (self.redis.works and self.store.works and len(self.redis.queue)):
            self.clock.call_after(LOOK_S, self._start_worker)
            return
        limits, ended = self._limits, self._worker_ended
        self.workers.append(SimWorker(self, self._rng, limits, self.setting.batch, ended))

    def _worker_ended(self, worker: SimWorker) -> None:
        if worker in self.workers:
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
        """Connect a bot, or its host, whenever it has no stream."""
        working = [gateway for gateway in self._living() if gateway.works]
        if bot.hosted and self.clock.now < self._hostless_until:
            working = []
        if working and not any(gateway.connected(bot.player) for gateway in self._living()):
            gateway = self._rng.choice(working)
            games = sorted({each.spec.game for each in self.tournaments.values()})
            gateway.connect(bot, games, self.setting.max_in_flight)
        wait = self._rng.uniform(*RECONNECT_S)
        self.clock.call_after(wait, partial(self._keep_connected, bot))

    # Faults

    def _draw(self, kind: str, seconds: float) -> None:
        """Schedule repeated faults, every `seconds` seconds on average."""

        def happen() -> None:
            if self.faults.total() < self.setting.most_faults:
                long = self._rng.uniform(*(KINDS | KINDS_OF_HOSTS)[kind])
                self._happen(InjectedFault(self.clock.now, kind, long, self._rng.random()))
                self._draw(kind, seconds)

        self.clock.call_after(self._rng.expovariate(1 / seconds), happen)

    def _happen(self, fault: InjectedFault) -> None:
        if not self._complete():
            self.faults[fault.kind] += HAPPENS[fault.kind](self, fault)

    def _crash_worker(self, fault: InjectedFault) -> bool:
        if (worker := _picked(self.workers, fault)) is None:
            return False
        worker.crash()
        self.workers.remove(worker)
        self.clock.call_after(RESTART_S, self._start_worker)
        return True

    def _stop_worker(self, fault: InjectedFault) -> bool:
        if (worker := _picked(self.workers, fault)) is None:
            return False
        worker.schedule.stop_requested()
        return True

    def _freeze_worker(self, fault: InjectedFault) -> bool:
        if (worker := _picked(self.workers, fault)) is None:
            return False
        worker.freeze(fault.seconds)
        return True

    def _another_gateway(self, fault: InjectedFault) -> SimGateway | None:
        """Return a working gateway, unless it is the only one."""
        working = [gateway for gateway in self._living() if gateway.works]
        return _picked(working, fault) if len(working) > 1 else None

    def _crash_gateway(self, fault: InjectedFault) -> bool:
        if (gateway := self._another_gateway(fault)) is None:
            return False
        gateway.crash()
        number = len(self.gateways)
        self.clock.call_after(RESTART_S, partial(self._start_gateway, number))
        return True

    def _freeze_gateway(self, fault: InjectedFault) -> bool:
        if (gateway := self._another_gateway(fault)) is None:
            return False
        gateway.freeze(fault.seconds)
        return True

    def _cut_stream(self, fault: InjectedFault) -> bool:
        bot = _picked(self.bots, fault)
        assert bot is not None
        for gateway in self._living():
            if gateway.works and gateway.connected(bot.player):
                gateway.cut(bot.player)
                return True
        return False

    def _crash_host(self, fault: InjectedFault) -> bool:
        """Disconnect the hosted bots until another host takes over."""
        self._hostless_until = max(self._hostless_until, fault.ends)
        for bot in self.bots:
            for gateway in self._living():
                if bot.hosted and gateway.connected(bot.player):
                    gateway.cut(bot.player)
        return True

    def _stop_redis(self, fault: InjectedFault) -> bool:
        self.redis.leave(fault.seconds)
        return True

    def _empty_redis(self, _: InjectedFault) -> bool:
        self.redis.empty()
        return True

    def _stop_database(self, fault: InjectedFault) -> bool:
        self.store.leave(fault.seconds)
        return True

    def _lock_row(self, fault: InjectedFault) -> bool:
        number = _picked(list(self.tournaments), fault)
        assert number is not None
        self.store.lock(number, fault.seconds)
        return True

    def _stop_beat(self, fault: InjectedFault) -> bool:
        self._beat_until = max(self._beat_until, fault.ends)
        return True


def _picked(items: Sequence[T], fault: InjectedFault) -> T | None:
    """Return the item that a fault hits, if there is any."""
    return items[min(int(fault.pick * len(items)), len(items) - 1)] if items else None


HAPPENS: dict[str, Callable[[SimArena, InjectedFault], bool]] = {
    "worker crashed": SimArena._crash_worker,
    "worker stopped": SimArena._stop_worker,
    "worker frozen": SimArena._freeze_worker,
    "gateway crashed": SimArena._crash_gateway,
    "gateway frozen": SimArena._freeze_gateway,
    "stream cut": SimArena._cut_stream,
    "host crashed": SimArena._crash_host,
    "Redis away": SimArena._stop_redis,
    "Redis emptied": SimArena._empty_redis,
    "database away": SimArena._stop_database,
    "row locked": SimArena._lock_row,
    "beat away": SimArena._stop_beat,
}
