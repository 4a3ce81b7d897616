"""The processes that play, and what they are given to do.

Processes are spawned, not forked, so that each loads the bots by itself, on every system alike.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import TracebackType
from typing import Any

from arena.errors import BotDied, InvalidRequest
from arena.kit.play.death import died_deciding, in_words
from arena.kit.play.job import Job
from arena.kit.play.outcome import Outcome
from arena.kit.play.standing import NOBODY, Standing
from arena.kit.play.worker import Ready, Refused, work
from arena.kit.seeding import fixed_hashes
from arena.pairing import PlannedMatch

AHEAD = 2  # chunks that a process has, so that it need not wait for the next
PATIENCE_S = 2.0  # before a process that does not end is killed


@dataclass(slots=True)
class _Process:
    process: SpawnProcess
    connection: Connection
    standing: Standing
    chunks: deque[Sequence[PlannedMatch]] = field(default_factory=deque)
    ready: bool = False


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Pool:
    """`jobs` processes; to be used as a context, at whose end they are gone."""

    def __init__(self, job: Job, jobs: int) -> None:
        self._job = job
        self._jobs = jobs
        self._processes: list[_Process] = []

    def __enter__(self) -> Pool:
        context = multiprocessing.get_context("spawn")
        try:
            with fixed_hashes():
                for _ in range(self._jobs):
                    ours, theirs = context.Pipe()
                    standing = Standing()
                    process = context.Process(target=work, args=(self._job, theirs, standing))
                    process.start()
                    theirs.close()
                    self._processes.append(_Process(process, ours, standing))
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        for each in self._processes:
            each.connection.close()
            each.process.terminate()
        for each in self._processes:
            each.process.join(PATIENCE_S)
            if each.process.is_alive():
                each.process.kill()
                each.process.join()
        self._processes.clear()

    def play(self, chunks: Iterable[Sequence[PlannedMatch]]) -> Iterator[Outcome]:
        """Plays all chunks; outcomes come as they are there, in no order.

        Raises InvalidRequest for a bot that cannot be loaded or does not play this game, BotDied
        where one ends its process.
        """
        waiting = iter(chunks)
        while True:
            for each in self._processes:
                self._supply(each, waiting)
            busy = [each for each in self._processes if each.chunks or not each.ready]
            if not busy:
                return
            by_handle: dict[Any, _Process] = {}
            for each in busy:
                by_handle[each.connection] = by_handle[each.process.sentinel] = each
            there = {id(by_handle[handle]): by_handle[handle] for handle in wait(list(by_handle))}
            for each in there.values():
                yield from self._received(each)

    def waits_for(self) -> list[str]:
        """The names of the bots that are deciding."""
        entrants = {each.standing.entrant for each in self._processes} - {NOBODY}
        return [self._job.players[entrant].name for entrant in sorted(entrants)]

    def _supply(self, each: _Process, waiting: Iterator[Sequence[PlannedMatch]]) -> None:
        while each.ready and len(each.chunks) < AHEAD:
            chunk = next(waiting, None)
            if chunk is None:
                return
            with suppress(BrokenPipeError):  # it is dead, which is found out next
                each.connection.send(chunk)
            each.chunks.append(chunk)

    def _received(self, each: _Process) -> Iterator[Outcome]:
        """What a process has sent since. Raises as `play` does."""
        try:
            while each.connection.poll():
                said = each.connection.recv()
                if isinstance(said, Outcome):
                    yield said
                elif isinstance(said, Refused):
                    sys.stderr.write(said.traceback)
                    raise InvalidRequest(said.sentence)
                elif isinstance(said, Ready):
                    if each.ready:
                        each.chunks.popleft()
                    each.ready = True
        except (EOFError, ConnectionResetError):
            raise self._death(each) from None
        if not each.process.is_alive() and not each.connection.poll():
            raise self._death(each)

    def _death(self, each: _Process) -> BotDied:
        """What is known of the end of a process."""
        each.process.join(PATIENCE_S)
        how = in_words(each.process.exitcode)
        if not each.ready:
            names = ", ".join(player.name for player in self._job.players)
            return BotDied(f"One of {names} ended its process {how} while it was loaded.")
        if each.standing.entrant == NOBODY:
            return BotDied(f"A bot ended its process {how}, and not in a decision.")
        planned = next(
            match
            for chunk in each.chunks
            for match in chunk
            if match.position == each.standing.position
        )
        return died_deciding(self._job, planned, each.standing, how)
