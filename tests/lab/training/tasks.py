"""Nets that are to be made: their kinds, what each builds on, and several at a time."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache

from arena.base.errors import Unavailable
from arena.value import catalog

TRAIN = "python -m tests.lab train"
ALL = 0  # numbers of seats at once, for a kind that has one net for all of them


@dataclass(frozen=True)
class Kind:
    """A kind of net."""

    module: str  # has the `make` that trains one
    builds_on: tuple[str, ...]  # kinds of which it needs the nets of its table
    cost: float  # seconds of CPU for one of the usual size, more or less: long ones begin first


KINDS = {
    "outcome": Kind("tests.lab.training.outcome", (), 40),
    "styled": Kind("tests.lab.training.styled", (), 7),
    "rounds": Kind("tests.lab.training.rounds", ("styled",), 100),
    "luck": Kind("tests.lab.training.luck", ("styled", "rounds"), 30),
    "policy": Kind("tests.lab.training.policy", ("outcome",), 360),
}


@dataclass(frozen=True)
class Task:
    """A net to make; `seats` is ALL for a kind that has one for all of them."""

    kind: str
    game: str
    seats: int
    size: float = 1.0
    seed: int = 1

    @property
    def name(self) -> str:
        """The file's."""
        return catalog.file_name(self.kind, self.game, self.seats)

    @property
    def command(self) -> str:
        """What makes just this net, in words for a shell."""
        at = "" if self.seats == ALL else f" --seats {self.seats}"
        size = "" if self.size == 1 else f" --size {self.size:g}"
        return f"{TRAIN} {self.kind} --game {self.game}{at}{size} --seed {self.seed}"

    @classmethod
    def of(cls, command: str) -> Task:
        """The task of a command as above."""
        kind, *words = command.removeprefix(f"{TRAIN} ").split()
        said = dict(zip(words[::2], words[1::2], strict=True))
        seats, size = int(said.get("--seats", ALL)), float(said.get("--size", 1))
        return cls(kind, said["--game"], seats, size, int(said["--seed"]))

    def needs(self, other: Task) -> bool:
        """Whether it builds on that net."""
        same_table = ALL in (self.seats, other.seats) or self.seats == other.seats
        return other.kind in KINDS[self.kind].builds_on and other.game == self.game and same_table


def done(
    tasks: Collection[Task], jobs: int, make: Callable[[Task], str]
) -> Iterator[tuple[Task, str]]:
    """Makes all of them, in so many processes, none before what it builds on; each with what `make`
    says, as soon as it is done. `make` goes to another process if there are several.

    Raises Unavailable if one of these is killed, and what `make` raises.
    """
    ordered = in_order(tasks)
    if jobs == 1 or len(ordered) == 1:
        for task in ordered:
            yield task, make(task)
        return
    others = multiprocessing.active_children()
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _begin)
    try:
        yield from _done_in(pool, jobs, ordered, make)
    except BrokenProcessPool:
        raise Unavailable(
            "A process that trained was killed, maybe for want of memory. Run the command again, "
            "with --jobs 1 if need be."
        ) from None
    finally:
        # Before all is done somebody has had enough, or something failed: nobody waits for minutes.
        for child in multiprocessing.active_children():
            if child not in others:
                child.terminate()
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """The beginning of a process of the pool: it ends with its parent, and at Ctrl-C in silence."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def last() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=last, daemon=True).start()


def _done_in(
    pool: ProcessPoolExecutor, jobs: int, ordered: Sequence[Task], make: Callable[[Task], str]
) -> Iterator[tuple[Task, str]]:
    left, running = list(ordered), dict[Future[str], Task]()
    while left or running:
        unfinished = [*left, *running.values()]
        ready = [task for task in left if not any(task.needs(other) for other in unfinished)]
        for task in ready[: jobs - len(running)]:
            left.remove(task)
            running[pool.submit(make, task)] = task
        finished, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in finished:
            yield running.pop(future), future.result()


def in_order(tasks: Collection[Task]) -> list[Task]:
    """Each after all that it builds on; first those after which most is left to do."""

    @cache
    def path(task: Task) -> float:
        after = max((path(other) for other in tasks if other.needs(task)), default=0.0)
        return KINDS[task.kind].cost * task.size + after

    return sorted(tasks, key=path, reverse=True)
