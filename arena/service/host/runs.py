"""Stores reports of processes for their authors, once a second in the background.

Decisions and processes never wait for it. While the store is unavailable, a limited number of
reports is kept.
"""

import asyncio
import time
from collections import Counter

import structlog
from sqlalchemy.exc import SQLAlchemyError

from arena.base import instant
from arena.base.errors import ArenaError
from arena.hosting.hosted.report import HOUSEKEEPING, Report
from arena.service.host.store_calls import StoreCalls
from arena.store.registry import runs
from arena.store.registry.runs import NewRun, OutputPart, RunKind, RunLimits

log = structlog.get_logger(__name__)

STORED_EVERY_S = 1.0
# Reports of a version per interval; more would be too many to read.
MOST_AT_ONCE = {RunKind.ENDED: 5, RunKind.WROTE: 2, RunKind.OTHER: 1}
MOST_KEPT = 1000  # runs that wait for the store
MOST_CHARACTERS = 8 * 1024 * 1024  # of their output


class RunLog:
    """Queues the reports of a host, and stores them."""

    def __init__(self, calls: StoreCalls, limits: RunLimits) -> None:
        self._calls, self._limits = calls, limits
        self._waiting: list[NewRun] = []
        self._characters = 0
        self._taken = Counter[tuple[int, RunKind]]()  # since they were last stored
        self._failed = False

    def add(self, player: int, report: Report) -> None:
        """Queue a report of a version, or drop it if a limit is reached."""
        kind = kind_of(report)
        if report.purpose is None and kind is not RunKind.ENDED:
            return  # a spare process
        if self._taken[player, kind] >= MOST_AT_ONCE[kind]:
            return
        run = _run(player, kind, report)
        if len(self._waiting) >= MOST_KEPT or self._characters + run.size > MOST_CHARACTERS:
            return
        self._taken[player, kind] += 1
        self._waiting.append(run)
        self._characters += run.size

    async def keep(self) -> None:
        """Store queued reports until cancelled."""
        while True:
            await asyncio.sleep(STORED_EVERY_S)
            await self.store()

    async def store(self) -> None:
        """Store the queued reports. If that fails, they stay queued."""
        self._taken.clear()
        stored, self._waiting = self._waiting, []
        if not stored:
            return
        try:
            await self._calls.write(lambda conn: runs.add(conn, stored, self._limits))
        except (SQLAlchemyError, ArenaError) as error:
            if not self._failed:
                log.warning("reports of processes cannot be stored", error=str(error))
            self._failed = True
            self._waiting = [*stored, *self._waiting]
        else:
            self._failed = False
            self._characters -= sum(run.size for run in stored)


def kind_of(report: Report) -> RunKind:
    """Return the kind of a report. Processes that the arena ended for its own reasons are not
    ENDED."""
    if report.ending and report.ending not in HOUSEKEEPING:
        return RunKind.ENDED
    return RunKind.WROTE if report.output else RunKind.OTHER


def _run(player: int, kind: RunKind, report: Report) -> NewRun:
    purpose = report.purpose
    return NewRun(
        player=player,
        match=purpose.rstrip(b"\0").decode("ascii") if isinstance(purpose, bytes) else "",
        kind=kind,
        # `began` is of this machine's clock.
        began=instant.now() - (time.time() - report.began),
        cpu_s=report.cpu_s,
        memory_kb=report.memory_kb,
        ending=report.ending,
        parts=tuple(
            OutputPart(part.when, part.text, part.match, part.decision, part.others)
            for part in report.parts
        ),
        wall_s=report.wall_s,
    )
