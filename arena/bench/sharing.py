"""Measures how tournaments share the workers: many small ones, and a small one beside a slow giant.

All are measured in one run of one arena, so that the ratios can be compared with other machines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arena.base.errors import NotNow
from arena.bench.paced_arena import LOOK_S, Pace, PacedArena, paced_arena
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.port import Control

GAME, SEATS = "lama", 4
GIVE_UP_S = 900.0
GIANT = 200_000  # matches
LEAD_S = 20.0  # for which the giant has the workers to itself


@dataclass(frozen=True)
class Sharing:
    """Seconds from the first tournament's creation until the last was finished."""

    one_of_all: float
    many_small: float
    small_alone: float
    small_first: float  # until its first result, beside the giant
    small_beside: float

    @property
    def many(self) -> float:
        """How many times as long many small tournaments took as one of as many matches."""
        return self.many_small / self.one_of_all

    @property
    def beside(self) -> float:
        """How many times as long a small tournament took beside a giant as alone."""
        return self.small_beside / self.small_alone


@dataclass(frozen=True)
class Sizes:
    """How much is played."""

    small: int = 200  # tournaments
    small_matches: int = 4  # in each
    matches: int = 90  # of the tournament beside the giant
    thinking_ms: float = 20.0  # for each answer of its bots
    giant_thinking_ms: float = 500.0  # for each answer of the giant's


def measure(sizes: Sizes, tell: Callable[[str], None]) -> Sharing:
    """Runs an arena and all of this. Raises Unavailable as `arena up` does, NotNow when something
    does not come to its end."""
    with paced_arena(tell) as arena:
        quick = _connected(arena, "quick", Pace(0.0, 256))
        thinking = _connected(arena, "thinking", Pace(sizes.thinking_ms, 256))
        slow = _connected(arena, "slow", Pace(sizes.giant_thinking_ms, 64))
        return _measured(arena, sizes, quick, thinking, slow)


def _measured(
    arena: PacedArena, sizes: Sizes, quick: list[str], thinking: list[str], slow: list[str]
) -> Sharing:
    control, small = arena.control, sizes.small_matches
    _finish(arena, [_create(control, quick, 400)])  # what is loaded once, is loaded
    one = _finish(arena, [_create(control, quick, sizes.small * small)])
    began = time.monotonic()
    numbers = [_create(control, quick, small) for _ in range(sizes.small)]
    many = _finish(arena, numbers, began)
    alone = _finish(arena, [_create(control, thinking, sizes.matches)])
    giant = _create(control, slow, GIANT)
    arena.machine.supervisor.pause(LEAD_S)
    began = time.monotonic()
    number = _create(control, thinking, sizes.matches)
    first = _until(arena, began, lambda: _get(control, number).played > 0)
    beside = _finish(arena, [number], began)
    control.cancel_tournament(pb.TournamentId(id=giant))
    return Sharing(one, many, alone, first, beside)


def _connected(arena: PacedArena, name: str, pace: Pace) -> list[str]:
    """The names of the bots of one table, when all are there."""
    names = [f"{name}-{number}" for number in range(1, SEATS + 1)]
    arena.connect(name, names, pace)
    return names


def _create(control: Control, bots: Sequence[str], matches: int) -> int:
    spec = pb.TournamentSpec(
        game=GAME, seats=SEATS, bots=bots, matches=matches, move_ms=60_000, start_grace_s=60
    )
    return control.create_tournament(spec).id


def _finish(arena: PacedArena, numbers: Sequence[int], began: float | None = None) -> float:
    """Seconds until all of these are finished."""
    left = list(numbers)

    def finished() -> bool:
        while left and _get(arena.control, left[-1]).state == "finished":
            left.pop()
        return not left

    return _until(arena, time.monotonic() if began is None else began, finished)


def _get(control: Control, number: int) -> pb.Tournament:
    return control.get_tournament(pb.TournamentId(id=number))


def _until(arena: PacedArena, began: float, done: Callable[[], bool]) -> float:
    """Seconds since `began` until it is done."""
    while not done():
        if time.monotonic() - began > GIVE_UP_S:
            raise NotNow(f"This measurement did not come to its end within {GIVE_UP_S:.0f} s.")
        arena.machine.supervisor.pause(LOOK_S)
    return time.monotonic() - began
