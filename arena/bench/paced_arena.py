"""A whole arena in a temporary folder, and bots of known speed that play in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from arena.base.errors import NotNow
from arena.bench.paced import TOGETHER
from arena.bench.temporary_arena import temporary_arena
from arena.operations.supervise import stack
from arena.operations.supervise.child import ChildSpec
from arena.operations.supervise.machine import Machine
from arena.protocol.v1 import control_pb2 as pb
from arena.service.bootstrap import control_service
from arena.service.control.port import Control

CONNECT_S = 60.0
LOOK_S = 0.1


@dataclass(frozen=True)
class Pace:
    """How a bot answers: it sleeps before each answer, or once for all that it has read."""

    milliseconds: float
    at_once: int
    how: str = TOGETHER


@dataclass(frozen=True)
class PacedArena:
    """The arena, and what controls it."""

    machine: Machine
    control: Control

    def connect(self, process: str, names: Sequence[str], pace: Pace) -> None:
        """Registers bots and starts them, in one process; returns when all are there. Raises NotNow
        if they are not after a minute."""
        register = self.control.register_bot
        tokens = [register(pb.RegisterBotRequest(name=name)).token for name in names]
        how = (f"{pace.milliseconds:g}", str(pace.at_once), pace.how)
        command = stack.python("arena.bench.paced", *how, *tokens)
        spec = ChildSpec(process, command, {"ARENA_URL": self.machine.running.gateway})
        self.machine.supervisor.start(spec)
        deadline = time.monotonic() + CONNECT_S
        while not self._connected(names):
            if time.monotonic() > deadline:
                raise NotNow("The bots of this measurement did not connect within a minute.")
            self.machine.supervisor.pause(LOOK_S)

    def _connected(self, names: Sequence[str]) -> bool:
        listed = self.control.list_bots(pb.ListBotsRequest()).bots
        return all(bot.connected for bot in listed if bot.name in names)


@contextmanager
def paced_arena(tell: Callable[[str], None]) -> Iterator[PacedArena]:
    """An arena that is gone afterwards. Raises Unavailable as `arena up` does."""
    with (
        temporary_arena(tell) as arena,
        control_service(arena.settings, redis_url=arena.settings.redis_url) as control,
    ):
        yield PacedArena(arena, control)
