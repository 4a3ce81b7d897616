"""What became of processes, on its way to their authors: gathered, and stored once a second.

Nothing waits for that, neither a decision nor a process. While the store is away some is kept, and
the rest is lost.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from functools import partial

import structlog
from sqlalchemy.exc import SQLAlchemyError

from arena.base import instant
from arena.base.errors import ArenaError
from arena.hosting.hosted.ending import HOUSEKEEPING
from arena.hosting.hosted.report import Report
from arena.service.host.store_calls import StoreCalls
from arena.store.registry import runs
from arena.store.registry.runs import Kind, NewRun, Part, RunLimits

log = structlog.get_logger(__name__)

STORED_EVERY_S = 1.0
# Of each version, in so many seconds; of more nobody would read all.
MOST_AT_ONCE = {Kind.ENDED: 5, Kind.WROTE: 2, Kind.OTHER: 1}
MOST_KEPT = 1000  # runs that wait for the store
MOST_CHARACTERS = 8 * 1024 * 1024  # that they wrote


class RunLog:
    """Takes reports, and stores them in the background; one for a host."""

    def __init__(self, calls: StoreCalls, limits: RunLimits) -> None:
        self._calls, self._limits = calls, limits
        self._waiting: list[NewRun] = []
        self._characters = 0
        self._taken = Counter[tuple[int, Kind]]()  # since they were last stored
        self._failed = False

    def of(self, player: int) -> Callable[[Report], None]:
        """What takes the reports of a version."""
        return partial(self.add, player)

    def add(self, player: int, report: Report) -> None:
        """Takes a report, unless there are more than anybody would read."""
        kind = kind_of(report)
        if report.purpose is None and kind is not Kind.ENDED:
            return  # it waited for a match, and none came
        if self._taken[player, kind] >= MOST_AT_ONCE[kind]:
            return
        run = _run(player, kind, report)
        if len(self._waiting) >= MOST_KEPT or self._characters + run.size > MOST_CHARACTERS:
            return
        self._taken[player, kind] += 1
        self._waiting.append(run)
        self._characters += run.size

    async def keep(self) -> None:
        """Stores what comes, until it is cancelled."""
        while True:
            await asyncio.sleep(STORED_EVERY_S)
            await self.store()

    async def store(self) -> None:
        """Stores what is there; what cannot be stored now is tried again the next time."""
        self._taken.clear()
        stored, self._waiting = self._waiting, []
        if not stored:
            return
        try:
            await self._calls.write(lambda conn: runs.add(conn, stored, self._limits))
        except (SQLAlchemyError, ArenaError) as error:
            if not self._failed:
                log.warning("what became of processes is not stored", error=str(error))
            self._failed = True
            self._waiting = [*stored, *self._waiting]
        else:
            self._failed = False
            self._characters -= sum(run.size for run in stored)


def kind_of(report: Report) -> Kind:
    """By what it is kept. What the arena ended for reasons of its own is nothing special."""
    if report.ending and report.ending not in HOUSEKEEPING:
        return Kind.ENDED
    return Kind.WROTE if report.output else Kind.OTHER


def _run(player: int, kind: Kind, report: Report) -> NewRun:
    purpose = report.purpose
    return NewRun(
        player=player,
        match=purpose.rstrip(b"\0").decode("ascii") if isinstance(purpose, bytes) else "",
        kind=kind,
        # The bot's side knows this machine's clock only.
        began=instant.now() - (time.time() - report.began),
        cpu_s=report.cpu_s,
        memory_kb=report.memory_kb,
        ending=report.ending,
        parts=tuple(
            Part(part.when, part.text, part.match, part.decision, part.others)
            for part in report.parts
        ),
        wall_s=report.wall_s,
    )
