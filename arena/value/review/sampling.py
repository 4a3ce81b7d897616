"""Adaptive sampling: decisions with an uncertain verdict get more states.

All decisions get a few states first. Each further round triples the number of states, for decisions
whose loss may be on either side of a threshold of `verdict`. It ends when no such decision is left
or the budget is spent. Actions that are almost certainly not the best are dropped on the way.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from arena.games.rules import View
from arena.value.review.losses import Halves
from arena.value.review.model import THRESHOLDS
from arena.value.review.values import Evaluate, Values

FIRST: Final = 16  # states in each half for every decision
# States in each half before a verdict is certain. After fewer, losses that look certain are on
# average overestimated.
MARKED: Final = 64
SURE: Final = 1.75  # standard errors between a known loss and all thresholds
GROWTH: Final = 3  # factor of the number of states per round; small rounds are slower
RARE: Final = 0.2  # score of one state: allowance for events that no state has had yet
AT_ONCE: Final = 200  # decisions evaluated in one batch, which bounds the memory

LEAST: Final = sorted(least for least, _ in THRESHOLDS)


class Sampled(NamedTuple):
    """The values of a decision's actions, relative to the chosen one."""

    halves: Halves
    rivals: tuple[int, ...]  # actions that may be the best and look at least as good


class Look(NamedTuple):
    """The state of knowledge about a loss."""

    known: bool  # whether its verdict is known
    left: tuple[int, ...]  # the chosen action, and those that can change the verdict
    rivals: tuple[int, ...]  # actions that may be the best and look at least as good


def look(gains: Sequence[float], errors: Sequence[float], states: int) -> Look:
    """Return what is known after `states` in each half, by the gain of each action, with errors.
    Gains are relative to the chosen action, which has a gain and an error of 0."""
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
        self.tallies = [ActionTally(len(view.actions), chosen) for _ in range(2)]
        self.places = (chosen, *[at for at in range(len(view.actions)) if at != chosen])

    def add(self, found: Halves) -> bool:
        """Add a round. Return whether another one is needed."""
        for tally, values in zip(self.tallies, found, strict=True):
            tally.add(self.places, values)
        one, other = self.tallies
        self.halves = one.values(), other.values()
        self.seen = look(*self._gains(*self.halves), self.halves[0].states)
        self.places = tuple([at for at in self.places if at in self.seen.left])
        return len(self.places) > 1 and not self.seen.known

    def _gains(self, one: Values, other: Values) -> tuple[list[float], list[float]]:
        """Return the gain of each action over the chosen one, and its error, by both halves."""
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
    """Return the values for each decision, given with the place of its chosen action. There are at
    most as many trials as for `samples` states in each half for every action."""
    questions = [Question(view, chosen) for view, chosen in found]
    budget = 2 * samples * sum(len(each.places) for each in questions)
    live, calls, total, states = questions, 0, 0, min(FIRST, samples)
    least = max(1, states // 2)  # smaller rounds are not worthwhile
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
    """Return the states of the next round, or all that are affordable if few would remain."""
    affordable = budget // cost if cost else 0
    return wanted if affordable > 2 * wanted else affordable


def _portions(questions: Sequence[Question]) -> Iterator[Sequence[Question]]:
    for first in range(0, len(questions), AT_ONCE):
        yield questions[first : first + AT_ONCE]


class ActionTally:
    """The results of each action of a decision in one half of the states. The action at `chosen` is
    tried in all states, any other until it is dropped."""

    def __init__(self, actions: int, chosen: int) -> None:
        self.chosen = chosen
        self._sums = [_Sums() for _ in range(actions)]
        self._score = self._points = 0.0  # of the chosen one, over its states

    def add(self, places: Sequence[int], found: Values) -> None:
        """Add a round with the actions at these places, the chosen one first."""
        self._score += found.states * found.scores[0]
        self._points += found.states * found.points[0]
        for at, place in enumerate(places):
            self._sums[place].add(found, at)

    def count(self, place: int) -> int:
        """Return the number of states in which an action was tried."""
        return self._sums[place].states

    def values(self) -> Values:
        """Return the values of all actions, with the chosen one as the reference.

        The difference of an action to the chosen one is measured in the states of both. It is added
        to the score of the chosen one in all states, so that dropped actions are comparable. After
        few states the sum may leave the range of scores, to which it is then limited.
        """
        states = self.count(self.chosen)
        score, points = self._score / states, self._points / states
        return Values(
            states,
            tuple([min(1.0, max(0.0, score + each.gain / each.states)) for each in self._sums]),
            tuple([points + each.more_points / each.states for each in self._sums]),
            tuple([each.error(each.states / states) for each in self._sums]),
            tuple([math.sqrt(each.apart) / each.states for each in self._sums]),
            tuple([each.doubt / each.states for each in self._sums]),
            tuple([each.doubt_apart / each.states for each in self._sums]),
        )


class _Sums:
    """The results of an action, added up over its states."""

    def __init__(self) -> None:
        self.states = 0
        self.gain = self.more_points = 0.0  # over the chosen action
        self.own = self.apart = 0.0  # variances of the sums of scores and gains, from sampling
        self.doubt = self.doubt_apart = 0.0

    def add(self, found: Values, at: int) -> None:
        """Add the values at this place of a round."""
        states = found.states
        self.states += states
        self.gain += states * (found.scores[at] - found.scores[0])
        self.more_points += states * (found.points[at] - found.points[0])
        self.own += (states * found.errors[at]) ** 2
        self.apart += (states * found.apart[at]) ** 2
        self.doubt += states * found.doubts[at]
        self.doubt_apart += states * found.doubts_apart[at]

    def error(self, share: float) -> float:
        """Return the error of a score, by the share of states in which the action was tried. Its
        own variance counts for that share, and the variance of its difference for the rest."""
        return math.sqrt(share * self.own + (1 - share) * self.apart) / self.states
