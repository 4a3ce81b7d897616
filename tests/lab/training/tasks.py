"""Models to train: kinds, dependencies, and parallel training."""

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
ALL = 0  # stands for all numbers of seats, for a kind with one model for them


@dataclass(frozen=True)
class Kind:
    """A kind of model."""

    module: str  # has the `make` that trains one
    builds_on: tuple[str, ...]  # kinds whose models of the same table it needs
    cost: float  # approximate CPU seconds at the usual size; expensive ones start first


KINDS = {
    "outcome": Kind("tests.lab.training.outcome", (), 40),
    "styled": Kind("tests.lab.training.styled", (), 7),
    "rounds": Kind("tests.lab.training.rounds", ("styled",), 100),
    "luck": Kind("tests.lab.training.luck", ("styled", "rounds"), 30),
    "policy": Kind("tests.lab.training.policy", ("outcome",), 360),
}


@dataclass(frozen=True)
class Task:
    """A model to train; `seats` is ALL for a kind with one model for all of them."""

    kind: str
    game: str
    seats: int
    size: float = 1.0
    seed: int = 1

    @property
    def name(self) -> str:
        """The name of the file."""
        return catalog.file_name(self.kind, self.game, self.seats)

    @property
    def command(self) -> str:
        """The shell command that trains this model."""
        at = "" if self.seats == ALL else f" --seats {self.seats}"
        size = "" if self.size == 1 else f" --size {self.size:g}"
        return f"{TRAIN} {self.kind} --game {self.game}{at}{size} --seed {self.seed}"

    @classmethod
    def of(cls, command: str) -> Task:
        """Return the task of a `command`."""
        kind, *words = command.removeprefix(f"{TRAIN} ").split()
        said = dict(zip(words[::2], words[1::2], strict=True))
        seats, size = int(said.get("--seats", ALL)), float(said.get("--size", 1))
        return cls(kind, said["--game"], seats, size, int(said["--seed"]))

    def needs(self, other: Task) -> bool:
        """Whether it builds on that model."""
        same_table = ALL in (self.seats, other.seats) or self.seats == other.seats
        return other.kind in KINDS[self.kind].builds_on and other.game == self.game and same_table


def done(
    tasks: Collection[Task], jobs: int, make: Callable[[Task], str]
) -> Iterator[tuple[Task, str]]:
    """Train all tasks in `jobs` processes, each after all that it builds on; yield each task with
    the result of `make` as soon as it is done. With several processes `make` must be picklable.

    Raises Unavailable if a process is killed, and everything that `make` raises.
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
            "A training process was killed, possibly out of memory. Run the command again with "
            "--jobs 1."
        ) from None
    finally:
        # After Ctrl-C or a failure, do not wait minutes for the others.
        for child in multiprocessing.active_children():
            if child not in others:
                child.terminate()
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """Initialise a process of the pool: it ends with its parent, and silently at Ctrl-C."""
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
    """Return the tasks, each after all that it builds on, the longest remaining path first."""

    @cache
    def path(task: Task) -> float:
        after = max((path(other) for other in tasks if other.needs(task)), default=0.0)
        return KINDS[task.kind].cost * task.size + after

    return sorted(tasks, key=path, reverse=True)
