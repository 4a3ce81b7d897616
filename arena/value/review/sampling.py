"""How many states each decision of a match is given: those whose mark is in doubt get more.

All decisions get a few states first. Then, in rounds that triple the number of states, only those
go on whose loss may lie on either side of a threshold of `verdicts`, until none is left or the
budget is spent. Actions that are surely not the best are dropped on the way.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from arena.games.rules import View
from arena.value.review.losses import Halves
from arena.value.review.tallies import Tally
from arena.value.review.values import Evaluate, Values
from arena.value.review.verdicts import THRESHOLDS

FIRST: Final = 16  # states in each half that every decision gets
MARKED: Final = (
    64  # in each half before a loss that has a name is taken as known: a loss that looks
)
# certain after a few states is on average overestimated
SURE: Final = 1.75  # standard errors that a loss is away from thresholds where it is known
GROWTH: Final = 3  # of the number of states by each round: small rounds take longer
RARE: Final = 0.2  # of one state: what never happened so far may happen in the next
AT_ONCE: Final = 200  # decisions evaluated in one batch, which bounds the memory

LEAST: Final = sorted(least for least, _ in THRESHOLDS)


class Sampled(NamedTuple):
    """The values of a decision's actions, relative to the chosen one."""

    halves: Halves
    rivals: tuple[int, ...]  # actions that look better, or as good, and can be the best


class Look(NamedTuple):
    """What is known of a loss."""

    known: bool  # whether its name is
    left: tuple[int, ...]  # the chosen action, and those that can make a difference to the name
    rivals: tuple[int, ...]  # actions that look better, or as good, and can be the best


def look(gains: Sequence[float], errors: Sequence[float], states: int) -> Look:
    """By how much better than the chosen one each action is, with errors, after so many states in
    each half; the chosen one has a gain and an error of 0."""
    low = max(0.0, *[gain - SURE * error for gain, error in zip(gains, errors, strict=True)])
    highs = [gain + SURE * error for gain, error in zip(gains, errors, strict=True)]
    same = bisect_right(LEAST, low) == bisect_right(LEAST, max(highs))
    return Look(
        known=same and (low < LEAST[0] or states >= MARKED),
        left=tuple(
            [at for at, high in enumerate(highs) if high >= max(low, LEAST[0]) or not errors[at]]
        ),
        rivals=tuple([at for at, gain in enumerate(gains) if gain >= low]),
    )  # fmt: skip


class Question:
    """A decision that is being sampled."""

    def __init__(self, view: View, chosen: int) -> None:
        self.view = view
        self.tallies = [Tally(len(view.actions), chosen) for _ in range(2)]
        self.places = (chosen, *[at for at in range(len(view.actions)) if at != chosen])

    def add(self, found: Halves) -> bool:
        """Adds a round; whether another one is needed."""
        for tally, values in zip(self.tallies, found, strict=True):
            tally.add(self.places, values)
        one, other = self.tallies
        self.halves = one.values(), other.values()
        self.seen = look(*self._gains(*self.halves), self.halves[0].states)
        self.places = tuple([at for at in self.places if at in self.seen.left])
        return len(self.places) > 1 and not self.seen.known

    def _gains(self, one: Values, other: Values) -> tuple[list[float], list[float]]:
        """By both halves: by how much better than the chosen one each action is, and errors."""
        chosen, gains, errors = self.places[0], list[float](), list[float]()
        for place in range(len(one.scores)):
            gain = sum(half.scores[place] - half.scores[chosen] for half in (one, other)) / 2
            rare = RARE / self.tallies[0].count(place)
            error = math.hypot(one.apart[place], other.apart[place], rare) / 2
            gains.append(gain)
            errors.append(error if place != chosen else 0.0)
        return gains, errors


def sampled(
    found: Sequence[tuple[View, int]], evaluate: Evaluate, samples: int, seed: int
) -> list[Sampled]:
    """Values for each decision and the place of its chosen action.

    All rounds together are as many trials as if each action was tried in `samples` states in each
    half, or fewer.
    """
    questions = [Question(view, chosen) for view, chosen in found]
    budget = 2 * samples * sum(len(each.places) for each in questions)
    live, calls, total, states = questions, 0, 0, min(FIRST, samples)
    least = max(1, states // 2)  # for fewer a round is not worth its while
    while live and states >= least:
        going = list[Question]()
        for some in _portions(live):
            places = [each.places for each in some]
            budget -= 2 * states * sum(map(len, places))
            results = evaluate([each.view for each in some], places, states, seed + calls)
            calls += 1
            going += [each for each, values in zip(some, results, strict=True) if each.add(values)]
        live, total = going, total + states
        states = _next((GROWTH - 1) * total, budget, 2 * sum(len(each.places) for each in live))
    return [Sampled(each.halves, each.seen.rivals) for each in questions]


def _next(wanted: int, budget: int, cost: int) -> int:
    """The states of the next round: all that the budget allows where little would be left."""
    affordable = budget // cost if cost else 0
    return wanted if affordable > 2 * wanted else affordable


def _portions(questions: Sequence[Question]) -> Iterator[Sequence[Question]]:
    for first in range(0, len(questions), AT_ONCE):
        yield questions[first : first + AT_ONCE]
