"""The values of a decision's actions, added up over rounds in which not all are tried."""

from __future__ import annotations

import math
from collections.abc import Sequence

from arena.value.review.values import Values


class ActionTally:
    """The results of each action of a decision in one half of the states.

    The action at `chosen` is tried in all states, any other until it is dropped.
    """

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
        """Return the error of a score, by the share of states in which the action was tried.

        Its own variance counts for that share, and the variance of its difference for the rest.
        """
        return math.sqrt(share * self.own + (1 - share) * self.apart) / self.states
