"""Tries a fault on a running tournament and measures the recovery."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arena.base.errors import Unavailable
from arena.protocol.v1 import control_pb2 as pb
from arena.service.live.connect import connect
from tests.chaos import stored
from tests.chaos.deployment import BOTS, LOOK_S, Deployment
from tests.chaos.faults import LATE_S, Fault
from tests.chaos.shown import watched
from tests.chaos.stored import Stored

SEATS = 2
TABLES = len(BOTS) * (len(BOTS) - 1) // SEATS
WARM = 60  # matches until everything is loaded
LEAD_S = 2.0  # of play before the fault
AFTER_S = 8.0  # of play after it, at the pace before it
STEADY_S = 3.0  # of the recovered pace
BACK = 0.5  # recovered share of the pace; half of the bots may still be reconnecting
GIVE_UP_S = 120.0
SHOWN_S = 15.0  # limit for the status to report a fault

Seen = tuple[float, int]  # seconds after the fault's end, matches stored by then


@dataclass(frozen=True)
class Trial:
    """The results of a fault. Seconds count from its end to the next stored match, and to the
    recovery of the pace. `late_s` is the delay of the tournament compared with that pace. None
    means more than two minutes. `shown_s` counts from the start of the fault until `arena status`
    showed the `sentence`; `others` are the other messages."""

    fault: Fault
    found: Stored
    first_s: float | None
    steady_s: float | None
    late_s: float | None
    shown_s: float | None = None
    sentence: str = ""
    others: frozenset[str] = frozenset()

    @property
    def held(self) -> bool:
        """Whether the arena kept the promises of docs/architecture.md."""
        return self.soon and self.on_time and self.told and self.found.sound

    @property
    def told(self) -> bool:
        """Whether the status reported a lasting fault in time."""
        return not self.fault.says or (self.shown_s is not None and self.shown_s < SHOWN_S)

    @property
    def soon(self) -> bool:
        """Whether play recovered in time."""
        return self.steady_s is not None and self.steady_s < self.fault.bound_s

    @property
    def on_time(self) -> bool:
        """Whether no running match was delayed for too long."""
        return self.late_s is not None and self.late_s < LATE_S


def measure_pace(arena: Deployment) -> float:
    """The arena's matches per second without a fault."""
    tournament = create(arena, 100_000)
    _until(arena, lambda: stored.played(arena.store, tournament) >= WARM)
    before, began = stored.played(arena.store, tournament), time.monotonic()
    arena.pause(3 * LEAD_S)
    pace = (stored.played(arena.store, tournament) - before) / (time.monotonic() - began)
    arena.control.cancel_tournament(pb.TournamentId(id=tournament))
    return pace


def attempt(arena: Deployment, fault: Fault, pace: float) -> Trial:
    """Tries a fault on a new tournament. `pace` is in matches per second."""
    meanwhile_s = fault.seconds if fault.goes_on else 0.0
    tournament = create(arena, round(pace * (LEAD_S + meanwhile_s + AFTER_S)))
    _until(arena, lambda: stored.played(arena.store, tournament) >= pace * LEAD_S)
    with watched(arena.settings[0], fault.says) as watch:
        with fault.deed(arena, tournament):
            watch.begin()
            arena.pause(fault.seconds)
        began, seen = time.monotonic(), _look_on(arena, tournament, pace)
    over = _until(arena, lambda: stored.finished(arena.store, tournament))
    took = time.monotonic() - began
    with connect(arena.settings[0].redis_url) as client:
        found = stored.examine(arena.store, client, tournament)
    first_s, steady_s, late_s = first_stored(seen), steady_since(seen, pace), None
    if over and seen:
        late_s = max(0.0, took - (found.planned - seen[0][1]) / pace)
        if steady_s is None:  # the tournament ended too early to measure
            steady_s = seen[-1][0]
    times = first_s, steady_s, late_s, watch.shown_s
    return Trial(fault, found, *times, watch.sentence, frozenset(watch.others))


def create(arena: Deployment, matches: int) -> int:
    """Creates a tournament of at least this many matches; returns its number."""
    spec = pb.TournamentSpec(
        game="lama",
        options={"max_rounds": "1"},  # short, so that matches end frequently
        seats=SEATS,
        bots=BOTS,
        matches=-(-matches // TABLES),
        start_grace_s=60,
    )
    return arena.control.create_tournament(spec).id


def _look_on(arena: Deployment, tournament: int, pace: float) -> list[Seen]:
    """Stored matches over time, until the pace has recovered or the tournament is over."""
    began = time.monotonic()
    seen: list[Seen] = []

    def recovered() -> bool:
        count = stored.played(arena.store, tournament)
        seen.append((time.monotonic() - began, count))
        return steady_since(seen, pace) is not None or stored.finished(arena.store, tournament)

    _until(arena, recovered)
    return seen


def first_stored(seen: Sequence[Seen]) -> float | None:
    """The time of the first match stored after the first sample."""
    return next((seconds for seconds, count in seen if count > seen[0][1]), None)


def steady_since(seen: Sequence[Seen], pace: float) -> float | None:
    """The time from which matches were stored at the old pace for at least `STEADY_S`, not before
    the first match."""
    first = first_stored(seen) or 0.0
    for begin, (began, before) in enumerate(seen):
        if began < first:
            continue
        for ended, after in seen[begin:]:
            if ended - began >= STEADY_S:
                if after - before >= BACK * pace * (ended - began):
                    return began
                break
    return None


def _until(arena: Deployment, done: Callable[[], bool]) -> bool:
    """Waits until it is done; returns False after too long."""
    limit = time.monotonic() + GIVE_UP_S
    while time.monotonic() < limit:
        try:
            if done():
                return True
        except Unavailable:
            pass  # the database is recovering
        arena.pause(LOOK_S)
    return False
