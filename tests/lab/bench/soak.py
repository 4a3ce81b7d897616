"""Plays very many matches, and checks that memory, open files and Redis do not grow.

An arena with four trivial bots runs in a temporary folder. The usage of each process and of Redis
is sampled at regular intervals. Only the database may grow.
"""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from arena.operations.supervise.machine import Machine
from arena.protocol.v1 import control_pb2 as pb
from arena.service.bootstrap import control_service
from arena.service.live.connect import connect
from tests.lab.bench.pipeline import BOTS, GAME, start_bots
from tests.lab.bench.temporary_arena import temporary_arena
from tests.lab.bench.usage import Usage, usage

WINDOW, WORKERS = 256, 2
POLL_S = 0.5
# Allowed growth from one quarter to the next: noise of allocators, and caches that still fill.
MEMORY_SHARE, MEMORY_BYTES = 0.025, 2_000_000
FILES, KEYS = 2, 10


@dataclass(frozen=True)
class Sample:
    """The usage after so many stored matches; memory in bytes."""

    matches: int
    seconds: float
    processes: dict[str, Usage]
    redis_keys: int
    redis_memory: int
    database: int


@dataclass(frozen=True)
class Soak:
    """All samples, and a sentence about each growing value."""

    samples: tuple[Sample, ...]
    growing: tuple[str, ...]


def measure(
    matches: int, samples: int, tell: Callable[[Sample], None], rounds: int | None = None
) -> Soak:
    """Play `matches` matches of at most `rounds` rounds, and take `samples` samples. Raises
    Unavailable as `arena up` does."""
    settings = {"workers": WORKERS, "window": WINDOW, "log_level": "warning"}
    with temporary_arena(lambda _: None, **settings) as arena:
        taken = _played(arena, matches, samples, tell, rounds)
    return Soak(tuple(taken), tuple(growing(taken)))


def _played(
    arena: Machine,
    matches: int,
    samples: int,
    tell: Callable[[Sample], None],
    rounds: int | None,
) -> list[Sample]:
    taken: list[Sample] = []
    options = {"max_rounds": str(rounds)} if rounds else {}
    settings = arena.settings
    with control_service(settings, redis_url=settings.redis_url) as control:
        names = start_bots(arena, control, max_in_flight=4096)
        spec = pb.TournamentSpec(
            game=GAME, seats=BOTS, bots=names, matches=matches, move_ms=60_000, options=options
        )
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
    """Return a sentence about each value that grew from the third quarter to the last, when all
    caches are warm. Fewer than eight samples give none.
    """
    quarter = len(samples) // 4
    if quarter < 2:
        return []
    found = []
    for what, values, allowance in _watched(samples):
        before = statistics.median(values[-2 * quarter : -quarter])
        after = statistics.median(values[-quarter:])
        if after > before + allowance(before):
            found.append(what.format(f"{before:,.0f} to {after:,.0f}"))
    return found


def _watched(
    samples: Sequence[Sample],
) -> Iterator[tuple[str, list[int], Callable[[float], float]]]:
    """Yield what must not grow: a sentence, its values, and the allowed growth."""
    for name in samples[0].processes:
        used = [sample.processes[name] for sample in samples]
        memory = [use.memory for use in used]
        yield f"The memory of {name} grew from {{}} bytes.", memory, _of_memory
        yield f"The open files of {name} grew from {{}}.", [u.files for u in used], lambda _: FILES
    in_redis = [sample.redis_memory for sample in samples]
    yield "The memory of Redis grew from {} bytes.", in_redis, _of_memory
    keys = [sample.redis_keys for sample in samples]
    yield "The keys in Redis grew from {}.", keys, lambda _: KEYS


def _of_memory(before: float) -> float:
    return max(MEMORY_BYTES, MEMORY_SHARE * before)
