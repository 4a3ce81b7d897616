"""Measures what connected bots cost: thousands that wait, hundreds that play, a storm of new ones.

An arena runs in a temporary folder. All figures are of its only gateway.
"""

import json
import resource
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.base.errors import InvalidRequest, NotNow
from arena.operations.supervise.child import ChildSpec
from arena.operations.supervise.machine import Machine
from arena.protocol.v1 import control_pb2 as pb
from arena.service.bootstrap import control_service
from arena.service.live.connect import connect
from arena.store import Store, open_store
from arena.store.projections import latencies
from arena.store.registry import bots
from tests.lab import programs
from tests.lab.bench.temporary_arena import temporary_arena
from tests.lab.bench.usage import Usage, usage

GAME, SEATS = "lama", 4
ENOUGH = 400  # matches of each table: more than are played
SPARE_FILES = 200
CONNECT_S, BEGIN_S = 900.0, 60.0
LOOK_S = 0.2
LEAVE_S = 5.0  # for the gateway to clean up after bots that left
# Answers are counted when their match is stored: wait so long after a step.
SETTLE_S = 6.0


@dataclass(frozen=True)
class Crowds:
    """Numbers of bots, and the duration of each step."""

    connected: int = 2000
    playing: int = 200  # of these
    storm: int = 10_000  # besides
    seconds: float = 15.0
    think_ms: float = 20.0  # before each answer
    in_flight: int = 64  # matches


@dataclass(frozen=True)
class Step:
    """One line of the result. Values that were not measured are None.

    `memory` is that of the gateway in bytes. `p50_ms` and `p99_ms` are answer times of the playing
    bots as measured by the gateway, including their pauses.
    """

    what: str
    connected: int
    memory: int
    seconds: float
    cores: float  # of the gateway
    joined: int = 0
    refused: int = 0
    p99_welcome_s: float | None = None
    decisions_per_s: float | None = None
    p50_ms: float | None = None
    p99_ms: float | None = None


@dataclass(frozen=True)
class Load:
    """All steps, and the bytes of one connected bot in the gateway and in Redis."""

    steps: tuple[Step, ...]
    gateway_bytes: float
    redis_bytes: float


def measure(crowds: Crowds, tell: Callable[[str], None]) -> Load:
    """Run all steps. Raises Unavailable as `arena up` does or if bots do not get in, NotNow if
    they do not play, InvalidRequest if the system does not allow so many open files."""
    most = crowds.connected + crowds.storm + SPARE_FILES
    _allow(most)
    with temporary_arena(
        tell,
        workers=1,
        window=crowds.in_flight,
        max_connections=most,
        max_streams=most,
        log_level="warning",
    ) as arena:
        return _Measurement(arena, crowds, tell).run()


def _allow(files: int) -> None:
    """Raise the limit of open files for this process and its children."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < files:
        raise InvalidRequest(
            f"The bots need {files:,} open files in one process, but the limit is {most:,}. "
            "Measure fewer bots, or raise the limit (ulimit -Hn)."
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class _Measurement:
    """The steps, one after the other."""

    def __init__(self, arena: Machine, crowds: Crowds, tell: Callable[[str], None]) -> None:
        self._arena = arena
        self._crowds = crowds
        self._tell = tell
        self._store: Store = open_store(arena.settings.database)
        self._players: list[int] = []
        self._connected = 0

    def run(self) -> Load:
        crowds, steps = self._crowds, []
        tokens = self._register(crowds.connected + crowds.storm)
        playing = crowds.playing
        empty, in_redis = self._gateway().memory, self._redis_memory()
        self._tell(f"{crowds.connected:,} bots connect")
        players, others = tokens[:playing], tokens[playing : crowds.connected]
        steps.append(self._join({"players": players, "others": others}))
        gateway_bytes = (steps[0].memory - empty) / crowds.connected
        redis_bytes = (self._redis_memory() - in_redis) / crowds.connected
        self._tell("They wait")
        steps.append(self._watch("they wait"))
        self._tell(f"{playing:,} of them play")
        number = self._begin(playing)
        steps.append(self._watch(f"{playing:,} of them play"))
        self._tell(f"{crowds.storm:,} more connect at once")
        steps.append(self._join({"storm": tokens[crowds.connected :]}))
        self._arena.supervisor.pause(SETTLE_S)
        steps.append(self._watch("they wait, the others play"))
        self._arena.supervisor.end("storm")
        self._connected = crowds.connected
        self._arena.supervisor.pause(LEAVE_S)
        steps.append(self._watch("when they have gone"))
        with control_service(self._arena.settings, redis_url=None) as control:
            control.cancel_tournament(pb.TournamentId(id=number))
        self._store.dispose()
        return Load(tuple(steps), gateway_bytes, redis_bytes)

    def _register(self, count: int) -> list[str]:
        with self._store.write() as conn:
            made = [bots.register(conn, f"bot-{number}") for number in range(count)]
        self._players = [bot.player for bot, _ in made[: self._crowds.playing]]
        return [token for _, token in made]

    def _join(self, crowds: Mapping[str, Sequence[str]]) -> Step:
        """Connect bots: for each name start a process of bots with these tokens."""
        before, decided = self._gateway(), self._histogram()
        began = time.monotonic()
        files = [self._start(name, tokens) for name, tokens in crowds.items()]
        self._arena.supervisor.await_ready(*crowds, within_s=CONNECT_S)
        seconds = time.monotonic() - began
        tallies = [json.loads(file.read_text()) for file in files]
        waited = sorted(second for tally in tallies for second in tally["welcomed_after"])
        self._connected += len(waited)
        return self._step(
            f"{len(waited):,} connect at once",
            before,
            decided,
            seconds,
            joined=len(waited),
            refused=sum(tally["refused"] for tally in tallies),
            p99_welcome_s=waited[99 * (len(waited) - 1) // 100],
        )

    def _start(self, name: str, tokens: Sequence[str]) -> Path:
        """Start a process of bots; it writes the file when all of them are connected."""
        arena, think = self._arena, f"{self._crowds.think_ms:g}"
        file = arena.settings.data / f"{name}.json"
        command = programs.python("tests.lab.bench.crowd", arena.running.gateway, think, str(file))
        lines = "\n".join(tokens).encode()
        arena.supervisor.start(ChildSpec(name, command, stdin=lines, ready=file.exists))
        return file

    def _watch(self, what: str) -> Step:
        before, decided = self._gateway(), self._histogram()
        began = time.monotonic()
        self._arena.supervisor.pause(self._crowds.seconds)
        return self._step(what, before, decided, time.monotonic() - began)

    def _step(
        self, what: str, before: Usage, decided: Counter[int], seconds: float, **joined: Any
    ) -> Step:
        after, counts = self._gateway(), self._histogram() - decided
        answers = counts.total()
        return Step(
            what,
            self._connected,
            after.memory,
            seconds,
            (after.cpu_s - before.cpu_s) / seconds,
            decisions_per_s=answers / seconds if answers else None,
            p50_ms=latencies.quantile(counts, 0.5) / 1000 if answers else None,
            p99_ms=latencies.quantile(counts, 0.99) / 1000 if answers else None,
            **joined,
        )

    def _begin(self, playing: int) -> int:
        """Start an endless tournament; return when its first match is stored."""
        names = [f"bot-{number}" for number in range(playing)]
        spec = pb.TournamentSpec(game=GAME, seats=SEATS, bots=names, matches=ENOUGH, move_ms=60_000)
        settings = self._arena.settings
        with control_service(settings, redis_url=settings.redis_url) as control:
            request = pb.TournamentId(id=control.create_tournament(spec).id)
            limit = time.monotonic() + BEGIN_S
            while not control.get_tournament(request).played:
                if time.monotonic() > limit:
                    raise NotNow(f"No match was played within {BEGIN_S:.0f} s.")
                self._arena.supervisor.pause(LOOK_S)
        return request.id

    def _histogram(self) -> Counter[int]:
        """Return the answer times of the playing bots in stored matches."""
        with self._store.read() as conn:
            by_player = latencies.histograms(conn, self._players)
        return sum((counts for games in by_player.values() for counts in games.values()), Counter())

    def _gateway(self) -> Usage:
        return usage(self._arena.supervisor)["gateway"]

    def _redis_memory(self) -> int:
        with connect(self._arena.settings.redis_url) as client:
            told: Any = client.info("memory")
        return int(told["used_memory"])
