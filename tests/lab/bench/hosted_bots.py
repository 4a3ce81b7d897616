"""Measures how fast hosted bots play beside the same bots connected.

One arena in a temporary folder has four bots that are connected, each a process of its own, and the
same four hosted. They play in turns: connected, hosted with a process for each tournament, hosted
with a process for each match. The program of all eight is the same file.
"""

import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from arena.base.errors import NotNow
from arena.games import packed_log
from arena.hosting.sandbox.kinds import find_sandbox
from arena.operations.supervise import stack
from arena.operations.supervise.child import ChildSpec, python
from arena.operations.supervise.machine import Machine
from arena.protocol.v1 import control_pb2 as pb
from arena.service.bootstrap import control_service
from arena.service.control.port import Control
from arena.store import open_store
from arena.store.matches import matches
from arena.store.matches.model import FaultNote
from arena.store.matches.rows import StoredMatch
from arena.store.registry import bots, submissions
from arena.tournaments.formats.secret import OPEN_SALT
from tests.lab.bench.pipeline import POLL_S, cpu_seconds
from tests.lab.bench.temporary_arena import temporary_arena
from tests.lab.bench.usage import cpu_below, memory_below

GAME, SEATS = "lama", 4
CONNECTED, TOURNAMENT, MATCH = "connected", "tournament", "match"
WAYS = (CONNECTED, TOURNAMENT, MATCH)
REASONS = 5  # of faults that are told
COME_UP_S = 60.0  # and two seconds more for each bot
MEMORY_EVERY_S = 2.0  # to ask the kernel what hundreds of processes share takes time itself
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
    move_ms: int = 1000  # that it has for each
    hogs: int = 0  # processes that compute beside
    ways: Sequence[str] = WAYS
    bots: int = SEATS  # that are connected, and as many hosted; a tournament is for all of them


@dataclass(frozen=True)
class Played:
    """One tournament."""

    way: str
    matches: int
    decisions: int
    faults: int
    seconds: float
    cpu: dict[str, float]  # CPU seconds by process; "sandboxes" is all that is in them
    memory_mb: float  # the most that the host and all sandboxes had (PSS)
    reasons: Sequence[tuple[str, int]] = ()  # of faults, the most frequent first, how often

    @property
    def matches_per_s(self) -> float:
        """Matches finished, stored and rated per second."""
        return self.matches / self.seconds


@dataclass(frozen=True)
class Stage:
    """An arena with a host, and who is at the table in it."""

    arena: Machine
    control: Control

    def connect(self, names: Sequence[str], program: Path) -> None:
        """Registers bots and starts a process for each."""
        for name in names:
            token = self.control.register_bot(pb.RegisterBotRequest(name=name)).token
            command = python("arena.cli", "bot", "connect", str(program))
            env = {"ARENA_URL": self.arena.running.gateway, "ARENA_TOKEN": token}
            self.arena.supervisor.start(ChildSpec(f"bots-{name}", command, env))

    def submit(self, names: Sequence[str], program: Path) -> None:
        """Registers bots, for hosts to play."""
        store = open_store(self.arena.settings.database)
        for name in names:
            self.control.register_bot(pb.RegisterBotRequest(name=name))
            with store.write() as conn:
                submissions.submit(conn, bots.get(conn, name), program.read_bytes())
        store.dispose()

    def wait_for(self, names: Sequence[str]) -> None:
        """Returns when these bots are connected. Raises NotNow if they are not in time."""
        limit_s = COME_UP_S + 2 * len(names)
        deadline = time.monotonic() + limit_s
        while True:
            listed = self.control.list_bots(pb.ListBotsRequest()).bots
            if {bot.name for bot in listed if bot.connected}.issuperset(names):
                return
            if time.monotonic() > deadline:
                raise NotNow(f"The bots did not come up within {limit_s:.0f} s.")
            self.arena.supervisor.pause(POLL_S)

    def play(
        self, spec: pb.TournamentSpec, look: Callable[[], object] = lambda: None
    ) -> pb.Tournament:
        """Plays a tournament to its end, and looks now and then."""
        request = pb.TournamentId(id=self.control.create_tournament(spec).id)
        while (found := self.control.get_tournament(request)).state != "finished":
            self.arena.supervisor.pause(POLL_S)
            look()
        return found

    def memory_mb(self) -> float:
        """What the host and all sandboxes have now (PSS)."""
        return memory_below(self.arena.supervisor.pid("host")) / 1e6

    def cpu(self) -> dict[str, float]:
        """CPU seconds so far by process; "sandboxes" is all that is in them."""
        spent: dict[str, float] = {}
        for name, seconds in cpu_seconds(self.arena.supervisor).items():
            group = name.partition("-")[0]
            spent[group] = spent.get(group, 0.0) + seconds
        return {**spent, "sandboxes": cpu_below(self.arena.supervisor.pid("host"))}

    def matches(self, tournament: int) -> list[StoredMatch]:
        """The matches that were played."""
        store = open_store(self.arena.settings.database)
        with store.read() as conn:
            found = list(matches.iterate_matches(conn, tournament))
        store.dispose()
        return found


@contextmanager
def staged(tell: Callable[[str], None], **settings: Any) -> Iterator[Stage]:
    """An arena with a host, which is gone afterwards. Raises Unavailable as `arena up` does, or
    where this machine has no sandbox."""
    find_sandbox()
    with (
        temporary_arena(tell, **settings) as arena,
        control_service(arena.settings, redis_url=arena.settings.redis_url) as control,
    ):
        arena.supervisor.start(stack.host(arena.settings, arena.running.gateway))
        yield Stage(arena, control)


def tournament(names: Sequence[str], matches: int, **fields: Any) -> pb.TournamentSpec:
    """One of LAMA, at tables of four; a `seed` repeats it."""
    if "seed" in fields:
        fields["salt"] = OPEN_SALT
    return pb.TournamentSpec(
        game=GAME, seats=SEATS, bots=names, matches=matches, trusted=True, **fields
    )


def measure(load: HostedLoad, tell: Callable[[str], None], **settings: Any) -> list[Played]:
    """All tournaments, in the order in which they were played. Raises Unavailable as `arena up`
    does, or where this machine has no sandbox; NotNow where bots do not come up."""
    names = [f"{number}" for number in range(load.bots)]
    connected = [f"connected{name}" for name in names] if CONNECTED in load.ways else []
    hosted = [f"hosted{name}" for name in names] if set(load.ways) - {CONNECTED} else []
    with staged(tell, **settings) as stage, _program(load) as program, _hogs(load.hogs):
        stage.connect(connected, program)
        stage.submit(hosted, program)
        stage.wait_for([*connected, *hosted])
        played = []
        for turn in range(load.turns):
            for way in load.ways:
                tell(f"turn {turn + 1} of {load.turns}: {way}")
                field = connected if way == CONNECTED else hosted
                played.append(_play(stage, field, way, load, turn + 1))
        return played


@contextmanager
def _program(load: HostedLoad) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        program = Path(folder) / "busy.py"
        program.write_text(
            PROGRAM.format(in_flight=load.in_flight, seconds=load.thinking_ms / 1000)
        )
        yield program


@contextmanager
def _hogs(number: int) -> Iterator[None]:
    """So many processes that compute all the time."""
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def _play(stage: Stage, names: Sequence[str], way: str, load: HostedLoad, seed: int) -> Played:
    isolation = "" if way == CONNECTED else way
    spec = tournament(
        names,
        max(SEATS, load.matches * SEATS // len(names)),  # at each table
        format="swiss",  # one round: each bot sits at one table, and all tables play at once
        format_options={"rounds": "1"},
        seed=seed,
        isolation=isolation,
        move_ms=load.move_ms,
    )
    before, memory, looked = stage.cpu(), [0.0], time.monotonic()

    def look() -> None:
        nonlocal looked
        if time.monotonic() > looked + MEMORY_EVERY_S:
            memory.append(stage.memory_mb())
            looked = time.monotonic()

    found = stage.play(spec, look)
    after, played = stage.cpu(), stage.matches(found.id)
    return Played(
        way,
        len(played),
        sum(len(packed_log.unpack(match.log)) for match in played),
        sum(seat.faults for match in played for seat in match.seats),
        found.finished - found.started,
        {name: spent - before.get(name, 0.0) for name, spent in after.items()},
        max(memory),
        Counter(_fault(note) for match in played for note in match.notes).most_common(REASONS),
    )


def _fault(note: FaultNote) -> str:
    """A fault without its figures, which are other ones each time."""
    return f"{note.kind}: {re.sub(r'[0-9.]*[0-9]', '#', note.reason)}"


def ratio(played: Sequence[Played], way: str) -> float:
    """How many times as many matches a second as connected bots play: the median of the turns.
    Raises ValueError where these did not play."""
    mine = [one.matches_per_s for one in played if one.way == way]
    connected = [one.matches_per_s for one in played if one.way == CONNECTED]
    return median(mine / theirs for mine, theirs in zip(mine, connected, strict=True))
