"""Where the values of actions come from: `arena.value.search`, or whatever a test gives."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from arena.extras import missing
from arena.rules import View

if TYPE_CHECKING:
    from arena.value.search import ActionValues

VERSION: Final = 1  # to be raised whenever `arena.value.search` values actions otherwise
SAMPLES: Final = 64  # states for each decision, in each of two halves
NETS: Final = Path(__file__).parents[1] / "nets"


class Values(NamedTuple):
    """What the legal actions of one decision are worth, in the order of `view.actions`."""

    scores: tuple[float, ...]  # expected at the end of the match, from 0 to 1
    points: tuple[float, ...]  # expected to be taken until the end of the round
    errors: tuple[float, ...]  # standard errors of the scores
    behind: tuple[float, ...]  # standard errors of the distances to the best score of them, which
    # are smaller: all actions are tried on the same states

    def error_between(self, one: int, other: int) -> float:
        """The standard error of the difference between two scores; never below it."""
        return 0.0 if one == other else math.hypot(self.behind[one], self.behind[other])


class Evaluate(Protocol):
    """Values of the actions of many decisions, from states drawn to fit what the seats know."""

    def __call__(self, views: Sequence[View], samples: int, seed: int) -> Sequence[Values]:
        """One result for each view; equal arguments give equal ones. NumPy may be missing."""


class Reviewer(NamedTuple):
    """Who reviews."""

    name: str  # changes whenever reviews would
    samples: int  # states for each decision, in each of two halves


@cache
def reviewer() -> Reviewer:
    """Who reviews in this installation: other nets make another reviewer."""
    digest = hashlib.sha256()
    for file in sorted(NETS.glob("outcome-*.npz")):
        digest.update(file.read_bytes())
    return Reviewer(f"sharp-{VERSION}-{2 * SAMPLES}-{digest.hexdigest()[:8]}", SAMPLES)


def evaluate(views: Sequence[View], samples: int, seed: int) -> Sequence[Values]:
    """By `arena.value.search`, all in one batch. Raises MissingExtra without NumPy, UnknownGame for
    a game that is not played in batches."""
    try:
        from arena.value.search import action_values
    except ModuleNotFoundError as error:
        raise missing("A review", error) from None
    if not views:
        return []
    return list(map(_in_order, views, action_values(views, samples, seed)))


def _in_order(view: View, found: ActionValues) -> Values:
    """The values in the order of the view's actions."""
    places = [found.actions.index(index) for index in view.indices]
    columns = (found.score, found.points, found.score_error, found.loss_error)
    return Values(*[tuple([float(column[place]) for place in places]) for column in columns])
