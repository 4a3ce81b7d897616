"""Measures how fast hosted bots play beside the same bots connected.

One arena in a temporary folder has four bots that are connected, each a process of its own, and the
same four hosted. They play in turns: connected, hosted with a process for each tournament, hosted
with a process for each match. The program of all eight is the same file.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from arena.bench.pipeline import POLL_S, cpu_seconds, decisions_in
from arena.bench.temporary_arena import temporary_arena
from arena.bench.usage import cpu_below
from arena.bootstrap import control_service
from arena.control.port import Control
from arena.errors import NotNow
from arena.jail import find_jail
from arena.protocol.v1 import control_pb2 as pb
from arena.store import open_store
from arena.store.matches import matches
from arena.store.registry import bots, submissions
from arena.supervise import stack
from arena.supervise.child import ChildSpec
from arena.supervise.machine import Machine

GAME, SEATS = "lama", 4
CONNECTED, TOURNAMENT, MATCH = "connected", "tournament", "match"
WAYS = (CONNECTED, TOURNAMENT, MATCH)
COME_UP_S = 120.0
PROGRAM = '''
import time

from arena.sdk import Bot


class Busy(Bot):
    """Computes for a while, then takes the first action."""

    games = ("lama",)
    max_in_flight = {in_flight}

    def choose(self, view):
        until = time.thread_time() + {seconds}
        while time.thread_time() < until:
            pass
        return view.actions[0]
'''


@dataclass(frozen=True)
class HostedLoad:
    """What is played each time: so many matches, by bots that compute for so long."""

    matches: int = 400
    thinking_ms: float = 0.0
    turns: int = 3
    in_flight: int = 64  # decisions of a bot


@dataclass(frozen=True)
class Played:
    """One tournament."""

    way: str
    matches: int
    decisions: int
    faults: int
    seconds: float
    cpu: dict[str, float]  # CPU seconds by process; "jails" is all that is in them

    @property
    def matches_per_s(self) -> float:
        """Matches finished, stored and rated per second."""
        return self.matches / self.seconds


def measure(load: HostedLoad, tell: Callable[[str], None], **settings: Any) -> list[Played]:
    """All tournaments, in the order in which they were played. Raises Unavailable as `arena up`
    does, or where this machine has no jail; NotNow where bots do not come up."""
    find_jail()
    with (
        temporary_arena(tell, **settings) as arena,
        control_service(arena.settings, redis_url=arena.settings.redis_url) as control,
        tempfile.TemporaryDirectory(prefix="arena-bench-") as folder,
    ):
        program = Path(folder) / "busy.py"
        program.write_text(
            PROGRAM.format(in_flight=load.in_flight, seconds=load.thinking_ms / 1000)
        )
        arena.supervisor.start(stack.host(arena.settings, arena.running.gateway))
        connected = [_connect(arena, control, program, number) for number in range(SEATS)]
        hosted = [_submit(arena, control, program, number) for number in range(SEATS)]
        _until_connected(arena, control, [*connected, *hosted])
        played = []
        for turn in range(load.turns):
            for way in WAYS:
                tell(f"turn {turn + 1} of {load.turns}: {way}")
                bots = connected if way == CONNECTED else hosted
                played.append(_play(arena, control, bots, way, load, turn + 1))
        return played


def _connect(arena: Machine, control: Control, program: Path, number: int) -> str:
    name = f"connected-{number}"
    token = control.register_bot(pb.RegisterBotRequest(name=name)).token
    command = stack.python("arena.cli", "bot", "connect", str(program))
    env = {"ARENA_URL": arena.running.gateway, "ARENA_TOKEN": token}
    arena.supervisor.start(ChildSpec(f"bots-{number}", command, env))
    return name


def _submit(arena: Machine, control: Control, program: Path, number: int) -> str:
    name = f"hosted-{number}"
    control.register_bot(pb.RegisterBotRequest(name=name))
    store = open_store(arena.settings.database)
    with store.write() as conn:
        submissions.submit(conn, bots.get(conn, name), program.read_bytes())
    store.dispose()
    return name


def _until_connected(arena: Machine, control: Control, names: Sequence[str]) -> None:
    deadline = time.monotonic() + COME_UP_S
    while True:
        listed = control.list_bots(pb.ListBotsRequest()).bots
        if {bot.name for bot in listed if bot.connected}.issuperset(names):
            return
        if time.monotonic() > deadline:
            raise NotNow(f"The bots of this measurement did not come up within {COME_UP_S:.0f} s.")
        arena.supervisor.pause(POLL_S)


def _play(
    arena: Machine, control: Control, names: Sequence[str], way: str, load: HostedLoad, seed: int
) -> Played:
    spec = pb.TournamentSpec(
        game=GAME,
        seats=SEATS,
        bots=names,
        matches=load.matches,
        seed=seed,
        trusted=True,
        isolation="" if way == CONNECTED else way,
        move_ms=1000,
    )
    before = _cpu(arena)
    request = pb.TournamentId(id=control.create_tournament(spec).id)
    while (found := control.get_tournament(request)).state != "finished":
        arena.supervisor.pause(POLL_S)
    after = _cpu(arena)
    return Played(
        way,
        found.played,
        decisions_in(arena.settings.database, found.id),
        _faults(arena.settings.database, found.id),
        found.finished - found.started,
        {name: spent - before.get(name, 0.0) for name, spent in after.items()},
    )


def _cpu(arena: Machine) -> dict[str, float]:
    host = arena.supervisor.pid("host")
    return {**cpu_seconds(arena), "jails": cpu_below(host) if host else 0.0}


def _faults(database: str, tournament: int) -> int:
    store = open_store(database)
    with store.read() as conn:
        found = list(matches.iterate_matches(conn, tournament))
    store.dispose()
    return sum(seat.faults for match in found for seat in match.seats)


def ratio(played: Sequence[Played], way: str) -> float:
    """How many times as many matches a second as connected bots play: the median of the turns."""
    speeds = {one: [each.matches_per_s for each in played if each.way == one] for one in WAYS}
    return median(
        mine / theirs for mine, theirs in zip(speeds[way], speeds[CONNECTED], strict=True)
    )
