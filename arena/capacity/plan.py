"""A demand and measured costs make a plan: what there must be of each part, and its price."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from arena.capacity.costs import Costs
from arena.capacity.queueing import Fleet

DAY_S, MONTH_DAYS = 86_400.0, 30.4
GIB = 2**30
# Memory of a process by itself, in bytes (docs/performance.md, "A million matches").
WORKER_BYTES, GATEWAY_BYTES = 130 * 2**20, 120 * 2**20
# Of a database: rows are written once and seldom read, but pages of the newest indexes are needed.
DATABASE_SHARE, DATABASE_LEAST, DATABASE_MOST = 0.01, GIB / 2, 32 * GIB


@dataclass(frozen=True)
class Demand:
    """What the arena has to do.

    `peak` is how many times the mean the busiest hour has; `bots_at_once` is of how many bots the
    matches are that one worker plays at a time, and `window` how many matches those are. Matches
    stay in the database for so many `months`, and in the archive for so many `years`.
    """

    bots: int = 1000
    matches_per_day: float = 100e6
    decisions_per_match: float = 162.0
    peak: float = 2.0
    bots_at_once: int = 50
    window: int = 2048
    months: float = 1.0
    years: float = 1.0
    busy: float = 0.6  # of a core, at the peak: above it lines grow long

    @property
    def matches_per_s(self) -> float:
        """At the peak."""
        return self.matches_per_day / DAY_S * self.peak

    @property
    def decisions_per_s(self) -> float:
        """At the peak."""
        return self.matches_per_s * self.decisions_per_match

    @property
    def together(self) -> float:
        """Decisions in a message: each match waits for one bot at a time."""
        return max(1.0, self.window / self.bots_at_once)


@dataclass(frozen=True)
class Prices:
    """Of a month: a core with 4 GiB of memory, and a GB of each kind. Assumptions, in dollars."""

    core: float = 25.0
    memory_gib: float = 4.0  # that come with a core
    disk_gb: float = 0.10
    object_gb: float = 0.023


@dataclass(frozen=True)
class Need:
    """What one part needs at the peak: cores it keeps busy, processes, memory (bytes). `most` is
    how many cores it could use at all, if there is such a limit."""

    part: str
    cores: float
    processes: int
    memory: float
    most: float | None = None
    remedy: str = ""

    @property
    def utilisation(self) -> float | None:
        """Of its limit."""
        return None if self.most is None else self.cores / self.most


@dataclass(frozen=True)
class Plan:
    """The needs of all parts; bytes on disks, and through Redis a second; dollars a month."""

    demand: Demand
    needs: tuple[Need, ...]
    database_bytes: float
    archive_bytes: float
    redis_bytes_per_s: float
    cores: int
    memory: float
    dollars: float

    @property
    def limits(self) -> list[Need]:
        """Those that more machines do not help, the nearest to its limit first."""
        limited = [need for need in self.needs if need.utilisation is not None]
        return sorted(limited, key=lambda need: -(need.utilisation or 0.0))

    @property
    def fleet(self) -> Fleet:
        """Its processes, to be simulated; bots have as many cores as they like."""
        processes = {need.part: need.processes for need in self.needs}
        return Fleet(
            workers=processes["workers"],
            gateways=processes["gateways"],
            bots=self.demand.bots_at_once,
            window=self.demand.window,
            decisions_per_match=round(self.demand.decisions_per_match),
            bot_processes=self.demand.bots_at_once,
        )


def plan(demand: Demand, costs: Costs, prices: Prices | None = None) -> Plan:
    """What a demand takes."""
    prices = prices or Prices()
    stored = demand.matches_per_day * MONTH_DAYS * demand.months * costs.postgresql_bytes
    needs = _needs(demand, costs, stored)
    cores = ceil(sum(need.cores for need in needs if need.processes) / demand.busy)
    memory = sum(need.memory for need in needs)
    cores = max(cores, ceil(memory / GIB / prices.memory_gib))
    archived = demand.matches_per_day * 12 * MONTH_DAYS * demand.years * costs.archive_bytes
    dollars = cores * prices.core + stored / 1e9 * prices.disk_gb
    return Plan(
        demand,
        needs,
        stored,
        archived,
        demand.decisions_per_s * costs.redis_bytes,
        cores,
        memory,
        dollars + archived / 1e9 * prices.object_gb,
    )


def _needs(demand: Demand, costs: Costs, stored: float) -> tuple[Need, ...]:
    decisions, matches, k = (
        demand.decisions_per_s / 1e6,
        demand.matches_per_s / 1e6,
        demand.together,
    )
    worker = decisions * costs.worker.of_decision(k) + matches * costs.store_us
    waiting = demand.bots * costs.waiting_bot_us / 1e6
    gateway = decisions * costs.gateway.of_decision(k) + waiting
    workers, gateways = (max(1, ceil(each / demand.busy)) for each in (worker, gateway))
    window = demand.window * costs.match_in_flight_bytes
    return (
        Need("workers", worker, workers, workers * (WORKER_BYTES + window)),
        Need(
            "gateways",
            gateway,
            gateways,
            gateways * GATEWAY_BYTES + demand.bots * costs.connected_bot_bytes,
        ),
        Need(
            "Redis",
            decisions * costs.redis.of_decision(k),
            1,
            GIB / 4,  # what it holds is under way
            most=1.0,
            remedy="larger messages (a larger window), threads for Valkey's sockets (io-threads), "
            "and then several arenas",
        ),
        Need(
            "database",
            matches * costs.database_us,
            1,
            min(max(DATABASE_SHARE * stored, DATABASE_LEAST), DATABASE_MOST),
        ),
        Need(
            "rating of one game",
            matches * costs.lock_us,
            0,
            0.0,
            most=1.0,
            remedy="nothing for one game, while games are rated beside each other: several arenas",
        ),
    )
