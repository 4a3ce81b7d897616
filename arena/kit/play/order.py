"""Outcomes come as processes have them; here they are put in the order of the schedule."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from arena.kit.play.outcome import Outcome
from arena.tournaments.formats import PlannedMatch


def in_order(
    chunks: Iterable[Sequence[PlannedMatch]],
    play: Callable[[Iterable[Sequence[PlannedMatch]]], Iterable[Outcome]],
) -> Iterator[Outcome]:
    """What `play` makes of chunks, in the order of the matches in these."""
    awaited: deque[int] = deque()
    early: dict[int, Outcome] = {}

    def noted() -> Iterator[Sequence[PlannedMatch]]:
        for chunk in chunks:
            awaited.extend(match.position for match in chunk)
            yield chunk

    for outcome in play(noted()):
        early[outcome.planned.position] = outcome
        while awaited and awaited[0] in early:
            yield early.pop(awaited.popleft())
