"""Measures how the arena grows: a whole arena for each point, started in a temporary folder.

When as many matches are stored as are in flight, so that those that began together are no longer in
the same phase, the arena is watched for some seconds. Gateways count the decisions, so those of
unfinished matches are not left out. All bots are trivial, in two processes. Matches are of few
rounds, so that enough of them are stored and rated meanwhile, however many are in flight.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

from arena.base.errors import NotNow
from arena.bench.gateways import Gateway, counted, start_gateways
from arena.bench.growth import PARTS, Growth, Load, PartName, Point
from arena.bench.pipeline import GAME, POLL_S, cpu_seconds, start_bots
from arena.bench.temporary_arena import temporary_arena
from arena.operations.supervise.machine import Machine
from arena.protocol.v1 import control_pb2 as pb
from arena.service.bootstrap import control_service
from arena.service.live.connect import connect
from arena.store import Store, open_store
from arena.store.tournaments import tournaments
from arena.tournaments.formats.secret import OPEN_SALT

SEATS = 4
MAX_IN_FLIGHT = 4096  # decisions of a bot: as many as a gateway lets it have
BOTS_TOGETHER = 200  # in one tournament, of all tables that can be formed
FLIGHT_TOGETHER = 2048  # matches of one tournament: no more than 8,192 are planned ahead
MATCHES = 1_000_000  # of a tournament, or some more: never played to the end
WARM_S = 3.0
GIVE_UP_S = 300.0
SPARE_STREAMS = 100


@dataclass(frozen=True)
class Watch:
    """How each point is measured: for so many seconds, with matches of so many rounds at most, so
    many times in turns with the other points of its part."""

    seconds: float = 12.0
    rounds: int = 1
    turns: int = 3


def measure(parts: Sequence[PartName], watch: Watch, tell: Callable[[str], None]) -> list[Growth]:
    """Measures these parts. Raises Unavailable as `arena up` does, NotNow where matches are not
    played."""
    return [
        Growth(part, tuple(_turn(part, watch, tell) for _ in range(watch.turns))) for part in parts
    ]


def _turn(part: PartName, watch: Watch, tell: Callable[[str], None]) -> tuple[Point, ...]:
    load_of, numbers = PARTS[part]
    points = []
    for number in numbers:
        load = load_of(number)
        tell(load.title)
        points.append(point(number, load, watch))
    return tuple(points)


def point(grown: int, load: Load, watch: Watch) -> Point:
    """Runs an arena under this load and watches it. Raises Unavailable, NotNow."""
    streams = load.bots + SPARE_STREAMS
    with temporary_arena(
        lambda _: None,
        workers=load.workers,
        window=-(-load.in_flight // load.workers),
        slice_s=600,
        max_connections=streams,
        max_streams=streams,
        log_level="warning",
    ) as arena:
        gateways = start_gateways(arena, load.gateways)
        settings = arena.settings
        with control_service(settings, redis_url=settings.redis_url) as control:
            places = [gateway.place for gateway in gateways]
            names = start_bots(arena, control, MAX_IN_FLIGHT, load.bots, places)
            _until(arena, lambda: counted(gateways).connected == load.bots, "The bots to connect")
            for seed, bots in enumerate(fields_of(names, load.in_flight), 1):
                control.create_tournament(tournament_of(bots, watch.rounds, seed))
        store = open_store(settings.database)
        began = time.monotonic()
        _until(
            arena,
            lambda: time.monotonic() > began + WARM_S and _stored(store) >= load.in_flight,
            "The first matches to be played",
        )
        before = _Look(arena, gateways, store)
        arena.supervisor.pause(watch.seconds)
        after = _Look(arena, gateways, store)
        store.dispose()
    if after.counted.messages == before.counted.messages:
        raise NotNow(f"Nothing was played within {watch.seconds:g} s: {load.title}.")
    return after.since(before, grown, load)


class _Look:
    """What has been counted until now."""

    def __init__(self, arena: Machine, gateways: Sequence[Gateway], store: Store) -> None:
        self.matches = _stored(store)
        self.at = time.monotonic()
        self.counted = counted(gateways)
        self.cpu = cpu_seconds(arena.supervisor)
        self.redis_bytes = _through_redis(arena.settings.redis_url)

    def since(self, before: _Look, grown: int, load: Load) -> Point:
        """What came between."""
        return Point(
            grown,
            load,
            self.at - before.at,
            self.counted.decisions - before.counted.decisions,
            self.counted.messages - before.counted.messages,
            self.matches - before.matches,
            {name: spent - before.cpu.get(name, 0.0) for name, spent in self.cpu.items()},
            self.redis_bytes - before.redis_bytes,
        )


def fields_of(names: Sequence[str], in_flight: int) -> list[Sequence[str]]:
    """The bots of each tournament: equally many, and enough tournaments that none limits how many
    matches are in flight."""
    groups = -(-len(names) // BOTS_TOGETHER)
    size = -(-len(names) // groups)
    again = -(-in_flight // (groups * FLIGHT_TOGETHER))
    return [names[first : first + size] for first in range(0, len(names), size)] * again


def tournament_of(bots: Sequence[str], rounds: int, seed: int) -> pb.TournamentSpec:
    """A tournament that does not end while it is watched."""
    return pb.TournamentSpec(
        game=GAME,
        seats=SEATS,
        bots=bots,
        matches=-(-MATCHES // comb(len(bots), SEATS)),
        format_options={"tables": "all"},
        options={"max_rounds": str(rounds)},
        seed=seed,
        salt=OPEN_SALT,
        trusted=True,
        move_ms=60_000,
    )


def _stored(store: Store) -> int:
    """Matches that are stored and rated."""
    with store.read() as conn:
        return sum(each.played for each in tournaments.all_tournaments(conn))


def _through_redis(url: str) -> int:
    """Bytes that Redis has received and sent."""
    with connect(url) as client:
        told: Any = client.info("stats")
    return int(told["total_net_input_bytes"]) + int(told["total_net_output_bytes"])


def _until(arena: Machine, done: Callable[[], bool], what: str) -> None:
    limit = time.monotonic() + GIVE_UP_S
    while not done():
        if time.monotonic() > limit:
            raise NotNow(f"{what} took more than {GIVE_UP_S:.0f} s.")
        arena.supervisor.pause(POLL_S)
