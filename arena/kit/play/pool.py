"""The processes that play.

Processes are spawned, not forked, so that each loads the bots itself, on every system. If a bot
hangs in a decision, its process is ended. A new one replays the match from its start without that
decision; see `ObservedMatch`.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import chain
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from arena.base.errors import BotDied, InvalidRequest
from arena.base.text import how_ended
from arena.kit.play.bar import say
from arena.kit.play.job import Job, PlayedMatch, Portion, no_answer, patience_s
from arena.kit.play.standing import NOBODY, MatchState, died_deciding
from arena.kit.play.worker import Ready, Refused, work
from arena.kit.reaper import Reaper, signal_group
from arena.kit.seeding import fixed_hashes
from arena.tournaments.formats import PlannedMatch

AHEAD = 2  # portions queued per process, so that it does not wait
PATIENCE_S = 2.0  # before a process that does not end is killed
SLACK_S = 15.0  # for a process to report that a program has not connected
LOOK_S = 0.1  # between checks for bots that take too long


@dataclass(slots=True)
class _Process:
    process: SpawnProcess
    connection: Connection
    standing: MatchState
    portions: deque[deque[PlannedMatch]] = field(default_factory=deque)  # the remaining matches
    ready: bool = False
    # Time of its last message or first portion.
    heard: float = field(default_factory=time.monotonic)

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    @property
    def busy(self) -> bool:
        return bool(self.portions) or not self.ready


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Pool:
    """Context manager with `jobs` processes."""

    def __init__(self, job: Job, jobs: int) -> None:
        self._job = job
        self._jobs = jobs
        self._processes: list[_Process] = []
        self._again: deque[Sequence[PlannedMatch]] = deque()  # portions of ended processes
        self._unanswered: dict[int, list[tuple[int, int]]] = {}  # by position, see `Portion`
        self._stack = ExitStack()
        self._reaper = Reaper()

    def __enter__(self) -> Pool:
        with ExitStack() as stack:
            stack.enter_context(self._reaper)
            stack.callback(self._end)
            for _ in range(self._jobs):
                self._start()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        standing = MatchState()
        process = context.Process(target=work, args=(self._job, theirs, standing))
        with fixed_hashes():
            process.start()
        started = _Process(process, ours, standing)
        self._reaper.watch(started.pid)
        theirs.close()
        self._processes.append(started)

    def _end(self) -> None:
        for each in self._processes:
            each.connection.close()
            signal_group(each.pid, signal.SIGTERM)
        for each in self._processes:
            self._kill(each, PATIENCE_S)
        self._processes.clear()

    def _kill(self, each: _Process, patience_s: float = 0.0) -> None:
        """End a process and those that its bots started."""
        if patience_s:
            each.process.join(patience_s)
        signal_group(each.pid, signal.SIGKILL)
        each.process.join()
        self._reaper.forget(each.pid)

    def play(self, chunks: Iterable[Sequence[PlannedMatch]]) -> Iterator[PlayedMatch]:
        """Play all chunks and yield the outcomes, in any order.

        Raises InvalidRequest for a bot that cannot be loaded or does not play this game, BotDied
        if a bot ends its process or hangs in a hook.
        """
        waiting = iter(chunks)
        while True:
            for each in self._processes:
                self._supply(each, waiting)
            busy = [each for each in self._processes if each.busy]
            if not busy:
                return
            by_handle: dict[Any, _Process] = {}
            for each in busy:
                by_handle[each.connection] = by_handle[each.process.sentinel] = each
            there = {id(by_handle[at]): by_handle[at] for at in wait(list(by_handle), LOOK_S)}
            for each in there.values():
                yield from self._received(each)
            for each in busy:
                if each in self._processes and self._takes_too_long(each):
                    yield from self._replaced(each)

    def waits_for(self) -> list[str]:
        """Return the names of the bots that are deciding."""
        entrants = {each.standing.entrant for each in self._processes} - {NOBODY}
        return [self._job.players[entrant].name for entrant in sorted(entrants)]

    def _supply(self, each: _Process, waiting: Iterator[Sequence[PlannedMatch]]) -> None:
        while each.ready and len(each.portions) < AHEAD:
            chunk = self._again.popleft() if self._again else next(waiting, None)
            if chunk is None:
                return
            known = {m.position: self._unanswered.get(m.position, []) for m in chunk}
            with suppress(BrokenPipeError):  # the process is dead, which is noticed next
                each.connection.send(Portion(tuple(chunk), known))
            if not each.portions:
                each.heard = time.monotonic()
            each.portions.append(deque(chunk))

    def _received(self, each: _Process) -> Iterator[PlayedMatch]:
        """Yield the outcomes that a process has sent. Raises like `play`."""
        try:
            yield from self._said(each)
        except (EOFError, OSError):
            raise self._death(each) from None
        if not each.process.is_alive() and not each.connection.poll():
            raise self._death(each)

    def _said(self, each: _Process) -> Iterator[PlayedMatch]:
        while each.connection.poll():
            said = each.connection.recv()
            each.heard = time.monotonic()
            if isinstance(said, PlayedMatch):
                each.portions[0].remove(said.planned)
                yield said
            elif isinstance(said, Refused):
                sys.stderr.write(said.traceback)
                raise InvalidRequest(said.sentence)
            elif isinstance(said, Ready):
                if each.ready:
                    each.portions.popleft()
                each.ready = True

    # Bots that do not come back

    def _takes_too_long(self, each: _Process) -> bool:
        """Whether a bot of a process has to be stopped. Raises BotDied while it is made."""
        entrant, changed = each.standing.entrant, each.standing.changed  # in this order
        if entrant != NOBODY:
            too_long = time.monotonic() - changed > patience_s(self._job.move_ms)
            return too_long and not self._job.is_apart(self._job.players[entrant])
        if each.busy and time.monotonic() - max(changed, each.heard) > self._most_quiet_s(each):
            names = ", ".join(player.name for player in self._job.players)
            raise BotDied(
                f"One of {names} was not loaded and prepared within {self._job.start_s:g} s. If it"
                " needs longer, raise --start-time."
            )
        return False

    def _most_quiet_s(self, each: _Process) -> float:
        """For how long a process may do something else than ask bots."""
        if not any(player.program for player in self._job.players):
            return self._job.start_s
        # It ends the wait for a program itself, and starts one again between two decisions.
        return self._job.start_s + (patience_s(self._job.move_ms) if each.ready else SLACK_S)

    def _replaced(self, each: _Process) -> Iterator[PlayedMatch]:
        """Replace a process by another, which plays the remaining matches. Raises BotDied."""
        entrant, number = each.standing.entrant, each.standing.number
        position = each.standing.position
        self._kill(each)
        with suppress(EOFError, OSError):
            yield from self._said(each)
        each.connection.close()
        self._processes.remove(each)
        left = [tuple(portion) for portion in each.portions if portion]
        # The match may have finished just before the process was ended.
        planned = next((match for match in chain(*left) if match.position == position), None)
        if planned is not None:
            name, match = self._job.players[entrant].name, self._job.setup(planned).id
            if not number:
                raise BotDied(
                    f"{name} did not return from a hook within"
                    f" {patience_s(self._job.move_ms):g} s in match {match}."
                )
            self._unanswered.setdefault(position, []).append((entrant, number))
            say(
                f"{name}, match {match}, decision {number}: {no_answer(self._job.move_ms)} A new"
                " process replays the match without this decision."
            )
        self._again.extend(left)
        self._start()

    def _death(self, each: _Process) -> BotDied:
        each.process.join(PATIENCE_S)
        code = each.process.exitcode
        how = "hangs" if code is None else how_ended(code)
        if not each.ready:
            names = ", ".join(player.name for player in self._job.players)
            return BotDied(f"The process {how} while loading one of {names}.")
        entrant = each.standing.entrant
        if entrant == NOBODY:
            return BotDied(f"The process of a bot {how} outside of a decision.")
        if not each.standing.number:
            return BotDied(f"The process of {self._job.players[entrant].name} {how} in a hook.")
        planned = next(m for m in each.portions[0] if m.position == each.standing.position)
        return died_deciding(self._job, planned, each.standing, how)
