"""The values of a decision's actions, added up over rounds in which not all are tried."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from arena.value.review.values import Values


class Tally:
    """The results of each action of a decision in one half of the states.

    The action at `chosen` is tried in all states, any other until it is dropped.
    """

    def __init__(self, actions: int, chosen: int) -> None:
        self.chosen = chosen
        # By action: the rounds in which it was tried, and its number among those tried.
        self.rounds: list[list[tuple[Values, int]]] = [[] for _ in range(actions)]

    def add(self, places: Sequence[int], found: Values) -> None:
        """Add a round with the actions at these places, the chosen one first."""
        for at, place in enumerate(places):
            self.rounds[place].append((found, at))

    def count(self, place: int) -> int:
        """Return the number of states in which an action was tried."""
        return sum(found.states for found, _ in self.rounds[place])

    def values(self) -> Values:
        """Return the values of all actions, with the chosen one as the reference.

        The difference of an action to the chosen one is measured in the states of both. It is added
        to the score of the chosen one in all states, so that dropped actions are comparable.
        """
        every = range(len(self.rounds))
        own = self._mean(self.chosen, lambda found, at: found.scores[at])
        points = self._mean(self.chosen, lambda found, at: found.points[at])
        apart = [self._variance(place, lambda found, at: found.apart[at]) for place in every]
        return Values(
            self.count(self.chosen),
            tuple([own + self._mean(place, _gain) for place in every]),
            tuple([points + self._mean(place, _more_points) for place in every]),
            tuple([self._error(place, apart[place]) for place in every]),
            tuple(map(math.sqrt, apart)),
            tuple([self._mean(place, lambda found, at: found.doubts[at]) for place in every]),
            tuple([self._mean(place, lambda found, at: found.doubts_apart[at]) for place in every]),
        )

    def _error(self, place: int, apart: float) -> float:
        """Return the error of a score, by the share of states in which the action was tried.

        Its own variance counts for that share, and the variance of its difference for the rest.
        """
        share = self.count(place) / self.count(self.chosen)
        own = self._variance(place, lambda found, at: found.errors[at])
        return math.sqrt(share * own + (1 - share) * apart)

    def _mean(self, place: int, of: Callable[[Values, int], float]) -> float:
        total = sum(found.states * of(found, at) for found, at in self.rounds[place])
        return total / self.count(place)

    def _variance(self, place: int, of: Callable[[Values, int], float]) -> float:
        """Return the variance of a mean over rounds with these standard errors."""
        total = sum((found.states * of(found, at)) ** 2 for found, at in self.rounds[place])
        return total / self.count(place) ** 2


def _gain(found: Values, at: int) -> float:
    return found.scores[at] - found.scores[0]


def _more_points(found: Values, at: int) -> float:
    return found.points[at] - found.points[0]
