"""Measures matches end to end: rules, worker, Redis, gateway, gRPC, bots, database, ratings.

Each measurement starts an arena in a temporary folder, with four trivial bots in two processes.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from arena.games import packed_log
from arena.operations.supervise.child import ChildSpec
from arena.operations.supervise.machine import Machine
from arena.operations.supervise.supervisor import Supervisor
from arena.protocol.v1 import control_pb2 as pb
from arena.service.bootstrap import control_service
from arena.service.control.port import Control
from arena.store import open_store
from arena.store.matches import matches
from tests.lab import programs
from tests.lab.bench.gateways import Gateway, Leg, start_gateways, traffic
from tests.lab.bench.temporary_arena import temporary_arena
from tests.lab.bench.usage import usage

GAME, BOTS = "lama", 4
MAX_IN_FLIGHT = 4096
BOTS_SAID = {"one-by-one": "one by one", "batches": "in batches"}
POLL_S = 0.5  # a poll takes a few milliseconds


@dataclass(frozen=True)
class PipelineLoad:
    """A load: workers x window matches and up to `max_in_flight` decisions per bot in flight."""

    title: str
    workers: int
    window: int
    max_in_flight: int
    matches: int
    kind: str = "one-by-one"  # of the bots; see `trivial`
    luck: bool = True  # whether luck is calculated


@dataclass(frozen=True)
class Throughput:
    """The throughput under one load, and the CPU seconds of each process, by name."""

    load: PipelineLoad
    matches: int
    decisions: int  # sent to bots; forced moves are not counted
    seconds: float
    cpu: dict[str, float]
    legs: Mapping[str, Leg]  # traffic of the gateway, by direction

    @property
    def decisions_per_s(self) -> float:
        """Decisions sent to bots per second."""
        return self.decisions / self.seconds

    @property
    def matches_per_s(self) -> float:
        """Matches finished, stored and rated per second."""
        return self.matches / self.seconds


def batched(
    matches: int,
    in_flight: int = 1000,
    workers: int = 2,
    kind: str = "one-by-one",
    *,
    luck: bool = True,
) -> PipelineLoad:
    """Return a load of many matches at once."""
    window = -(-in_flight // workers)
    title = f"bots answer {BOTS_SAID[kind]}{'' if luck else ', no luck calculation'}"
    return PipelineLoad(title, workers, window, MAX_IN_FLIGHT, matches, kind, luck)


def unbatched(matches: int) -> PipelineLoad:
    """Return a load of one match, one decision at a time."""
    return PipelineLoad("one match, one decision at a time", 1, 1, 1, matches)


def measure(load: PipelineLoad, tell: Callable[[str], None]) -> Throughput:
    """Run a tournament under this load in a new arena. Raises Unavailable as `arena up` does."""
    with temporary_arena(tell, workers=load.workers, window=load.window, slice_s=600) as arena:
        if not load.luck:
            arena.supervisor.end("review-worker")
        return _measured(arena, load, start_gateways(arena, 1))


def _measured(arena: Machine, load: PipelineLoad, gateways: Sequence[Gateway]) -> Throughput:
    settings = arena.settings
    with control_service(settings, redis_url=settings.redis_url) as control:
        places = [gateway.place for gateway in gateways]
        names = start_bots(arena, control, load.max_in_flight, gateways=places, kind=load.kind)
        spec = pb.TournamentSpec(
            game=GAME,
            seats=BOTS,
            bots=names,
            matches=load.matches,
            seed=1,
            trusted=True,
            move_ms=60_000,
        )
        request = pb.TournamentId(id=control.create_tournament(spec).id)
        before: dict[str, float] = {}
        while (tournament := control.get_tournament(request)).state != "finished":
            if tournament.state == "running" and not before:
                before = cpu_seconds(arena.supervisor)
            arena.supervisor.pause(POLL_S)
        after = cpu_seconds(arena.supervisor)
        legs = traffic(gateways)
    return Throughput(
        load,
        tournament.played,
        decisions_in(settings.database, tournament.id),
        tournament.finished - tournament.started,
        {name: spent - before.get(name, 0.0) for name, spent in after.items()},
        legs,
    )


def start_bots(
    arena: Machine,
    control: Control,
    max_in_flight: int,
    bots: int = BOTS,
    gateways: Sequence[str] = (),
    kind: str = "one-by-one",
) -> list[str]:
    """Register bots of a kind of `trivial`, start half of them in each of two processes, and return
    their names. The halves connect to `gateways` in turn, or else to the gateway of the arena."""
    names = [f"trivial-{number}" for number in range(bots)]
    tokens = [control.register_bot(pb.RegisterBotRequest(name=name)).token for name in names]
    places, half = gateways or [arena.running.gateway], -(-bots // 2)
    for number, some in enumerate((tokens[:half], tokens[half:])):
        command = programs.python("tests.lab.bench.trivial", kind, str(max_in_flight), *some)
        env = {"ARENA_URL": places[number % len(places)]}
        arena.supervisor.start(ChildSpec(f"bots-{number + 1}", command, env))
    return names


def decisions_in(database: str, tournament: int) -> int:
    """Return the number of decisions sent to bots in all matches of a tournament."""
    store = open_store(database)
    with store.read() as conn:
        logs = (match.log for match in matches.iterate_matches(conn, tournament))
        total = sum(len(packed_log.unpack(log)) for log in logs)
    store.dispose()
    return total


def cpu_seconds(supervisor: Supervisor) -> dict[str, float]:
    """Return the CPU seconds so far by process; numbered processes, such as bots, are one."""
    spent: dict[str, float] = {}
    for name, use in usage(supervisor).items():
        group = re.sub(r"-\d+$", "", name)
        spent[group] = spent.get(group, 0.0) + use.cpu_s
    return spent
