"""How fast the whole way is, and what a decision costs, as the arena grows: what is measured.

Four parts: against connected bots that play, against matches in flight, against worker processes
and against gateways. `arena.bench.growth_arena` measures them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Literal

FLIGHT = 512  # matches, where something else grows
WINDOW = 256  # matches of a worker process, the default
FLIGHT_OF_A_BOT = 4  # matches for each bot, where that makes more than FLIGHT
LINEAR_UP_TO = 1.15  # times the CPU time a decision: machines are not more even than that

PartName = Literal["bots", "flight", "workers", "gateways"]


@dataclass(frozen=True)
class Load:
    """What an arena has to do at a point, and with what."""

    bots: int = 4
    in_flight: int = FLIGHT  # matches
    workers: int = 2  # processes of the worker
    gateways: int = 1

    @property
    def title(self) -> str:
        """In words."""
        matches = "matches" if self.in_flight > 1 else "match"
        return (
            f"{self.bots:,} bots, {self.in_flight:,} {matches} in flight, worker processes: "
            f"{self.workers}, gateways: {self.gateways}"
        )


@dataclass(frozen=True)
class Point:
    """What an arena did within so many seconds; `cpu` are CPU seconds by process, `redis_bytes`
    what Redis received and sent."""

    grown: int  # how many there were of what grows in this part
    load: Load
    seconds: float
    decisions: int  # sent to bots
    messages: int  # to bots, with decisions in them
    matches: int  # stored and rated
    cpu: dict[str, float]
    redis_bytes: int = 0

    @property
    def decisions_per_s(self) -> float:
        """Decisions sent to bots per second."""
        return self.decisions / self.seconds

    @property
    def matches_per_s(self) -> float:
        """Matches finished, stored and rated per second."""
        return self.matches / self.seconds

    @property
    def cpu_us(self) -> float:
        """CPU time for each decision, of all processes together, in microseconds."""
        return 1e6 * sum(self.cpu.values()) / self.decisions

    @property
    def decisions_per_message(self) -> float:
        """How many decisions go to a bot together."""
        return self.decisions / self.messages


@dataclass(frozen=True)
class Growth:
    """All points of one part, in the order in which it grows, measured turn by turn."""

    part: PartName
    turns: tuple[tuple[Point, ...], ...]

    @property
    def points(self) -> list[Point]:
        """Each point as it was in the turn in which its decisions/s were the median (of an even
        number of turns, the lower one): they depend most on what else the machine does."""
        return [
            sorted(same, key=lambda point: point.decisions_per_s)[(len(same) - 1) // 2]
            for same in zip(*self.turns, strict=True)
        ]

    @property
    def ratios(self) -> list[float]:
        """How many times the CPU time of the point before a decision takes at the last one, by
        turn. Empty of fewer than two points, and where the system does not tell CPU times."""
        ends = [turn[-2:] for turn in self.turns if len(turn) > 1]
        return [last.cpu_us / before.cpu_us for before, last in ends if before.cpu_us]

    @property
    def ratio(self) -> float | None:
        """Their median, if there are any."""
        return median(self.ratios) if self.ratios else None

    @property
    def worse_than_linear(self) -> bool:
        """Whether twice as much takes clearly more than twice the CPU time at the end."""
        return self.ratio is not None and self.ratio > LINEAR_UP_TO


def of_bots(bots: int) -> Load:
    """With many bots as many matches for each: messages to a bot do not become smaller still."""
    return Load(bots=bots, in_flight=max(FLIGHT, FLIGHT_OF_A_BOT * bots))


def of_flight(in_flight: int) -> Load:
    """One worker process, where there is nothing for a second."""
    return Load(in_flight=in_flight, workers=min(2, in_flight))


def of_workers(workers: int) -> Load:
    """Each worker process has a window of its own."""
    return Load(in_flight=WINDOW * workers, workers=workers)


def of_gateways(gateways: int) -> Load:
    """The bots are spread over the gateways."""
    return Load(gateways=gateways)


# What grows, from where to where. Between the last two points messages to bots are about equally
# full, or get fuller: whatever a decision costs more then is the arena's doing.
PARTS: dict[PartName, tuple[Callable[[int], Load], tuple[int, ...]]] = {
    "bots": (of_bots, (4, 16, 64, 256, 1000, 2000)),
    "flight": (of_flight, (1, 8, 64, 512, 2048, 8192)),
    "workers": (of_workers, (1, 2, 4)),
    "gateways": (of_gateways, (1, 2)),
}
