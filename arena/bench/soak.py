"""Plays very many matches and watches whether anything grows that should not.

A whole arena runs in a temporary folder, with four trivial bots. At equal distances it is noted
what each process uses and what is in Redis; the database grows by each match, as it must.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.bench.pipeline import BOTS, GAME, start_bots
from arena.bench.usage import Usage, usage
from arena.bootstrap import control_service
from arena.config import Settings
from arena.live.connect import connect
from arena.protocol.v1 import control_pb2 as pb
from arena.supervise import folder
from arena.supervise.machine import Machine, machine

WINDOW, WORKERS = 256, 2
POLL_S = 0.5
# What may differ between the beginning and the end: noise of allocators and caches that fill.
MEMORY_SHARE, MEMORY_BYTES = 0.10, 4_000_000
FILES, KEYS = 4, 10


@dataclass(frozen=True)
class Sample:
    """How things were when so many matches were stored; memory in bytes."""

    matches: int
    seconds: float
    processes: dict[str, Usage]
    redis_keys: int
    redis_memory: int
    database: int


@dataclass(frozen=True)
class Soak:
    """All samples, and a sentence for each thing that grew."""

    samples: tuple[Sample, ...]
    growing: tuple[str, ...]


def measure(matches: int, samples: int, tell: Callable[[Sample], None]) -> Soak:
    """Plays so many matches, and looks so many times. Raises Unavailable as `arena up` does."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as name:
        settings = Settings(data=Path(name), workers=WORKERS, window=WINDOW, log_level="warning")
        with (
            folder.lock(settings.data) as lock,
            machine(settings, lambda _: None, lock, give_up_after=3) as arena,
        ):
            taken = _played(arena, matches, samples, tell)
    return Soak(tuple(taken), tuple(growing(taken)))


def _played(
    arena: Machine, matches: int, samples: int, tell: Callable[[Sample], None]
) -> list[Sample]:
    taken: list[Sample] = []
    settings = arena.settings
    with control_service(settings, redis_url=settings.redis_url) as control:
        names = start_bots(arena, control, max_in_flight=4096)
        spec = pb.TournamentSpec(game=GAME, seats=BOTS, bots=names, matches=matches, move_ms=60_000)
        request, began = pb.TournamentId(id=control.create_tournament(spec).id), time.monotonic()
        wanted = [-(-matches * number // samples) for number in range(1, samples + 1)]
        for count in wanted:
            while (played := control.get_tournament(request).played) < count:
                arena.supervisor.pause(POLL_S)
            taken.append(_sample(arena, played, time.monotonic() - began))
            tell(taken[-1])
    return taken


def _sample(arena: Machine, matches: int, seconds: float) -> Sample:
    with connect(arena.settings.redis_url) as client:
        memory: Any = client.info("memory")
        keys: Any = client.dbsize()
    return Sample(
        matches,
        seconds,
        usage(arena.supervisor),
        int(keys),
        int(memory["used_memory"]),
        sum(file.stat().st_size for file in arena.settings.data.glob("arena.db*")),
    )


def growing(samples: Sequence[Sample]) -> list[str]:
    """What was more in the last quarter than in the second one: by then all caches are warm.

    Empty with fewer than eight samples, of which nothing can be said.
    """
    quarter = len(samples) // 4
    if quarter < 2:
        return []
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]

    def grew(of: Callable[[Sample], float], allowance: Callable[[float], float]) -> str | None:
        before = statistics.median(map(of, early))
        after = statistics.median(map(of, late))
        return f"{before:,.0f} to {after:,.0f}" if after > before + allowance(before) else None

    def memory(before: float) -> float:
        return max(MEMORY_BYTES, MEMORY_SHARE * before)

    found = []
    for name in samples[0].processes:
        if by := grew(lambda one, name=name: one.processes[name].memory, memory):  # type: ignore[misc]
            found.append(f"The memory of {name} grew from {by} bytes.")
        if by := grew(lambda one, name=name: one.processes[name].files, lambda _: FILES):  # type: ignore[misc]
            found.append(f"The open files of {name} grew from {by}.")
    if by := grew(lambda one: one.redis_memory, memory):
        found.append(f"The memory that Redis says it uses grew from {by} bytes.")
    if by := grew(lambda one: one.redis_keys, lambda _: KEYS):
        found.append(f"The keys in Redis grew from {by}.")
    return found
