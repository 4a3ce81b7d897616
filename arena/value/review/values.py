"""The values of actions, from `arena.value.search` or from a test."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from arena.base.extras import missing
from arena.games.rules import View

if TYPE_CHECKING:
    from arena.games.batch.arrays import Index
    from arena.value.network import Floats
    from arena.value.search.values import Trials

VERSION: Final = 4  # increase it when reviews of the same match have other values
SAMPLES: Final = 512  # see Reviewer
NETS: Final = Path(__file__).parents[1] / "nets"


class Values(NamedTuple):
    """The values of some actions of one decision, tried in the same states. Differences are to the
    score of one of them, the reference. Its own are 0."""

    states: int
    scores: tuple[float, ...]  # expected at the end of the match, from 0 to 1
    points: tuple[float, ...]  # expected to be taken until the end of the round
    errors: tuple[float, ...]  # standard errors of the scores, from sampling
    apart: tuple[float, ...]  # standard errors of the differences, which are smaller
    doubts: tuple[float, ...]  # variances of the scores from the error of end values
    doubts_apart: tuple[float, ...]  # variances of the differences from that error


class Evaluate(Protocol):
    """Evaluates actions of many decisions in states that fit the knowledge of their seats."""

    def __call__(
        self, views: Sequence[View], places: Sequence[Sequence[int]], samples: int, seed: int
    ) -> Sequence[tuple[Values, Values]]:
        """Return, for each view, the values of the legal actions at these places.

        The first is the reference. Each of the two results is from an independent half of
        2 · `samples` states. Equal arguments give equal values.
        """


class Reviewer(NamedTuple):
    """The identity and effort of a reviewer."""

    name: str  # changes whenever reviews would change
    samples: int  # most states for an action in each of two halves, on average over a match


@cache
def reviewer() -> Reviewer:
    """Return the reviewer of this installation. Its name depends on the models."""
    digest = hashlib.sha256()
    for file in sorted([*NETS.glob("outcome-*.npz"), *NETS.glob("policy-*.npz")]):
        digest.update(file.read_bytes())
    return Reviewer(f"sharp-{VERSION}-{2 * SAMPLES}-{digest.hexdigest()[:8]}", SAMPLES)


def evaluate(
    views: Sequence[View], places: Sequence[Sequence[int]], samples: int, seed: int
) -> Sequence[tuple[Values, Values]]:
    """Evaluate actions by `arena.value.search`, all in one batch; see `Evaluate`. Raises
    MissingExtra without NumPy, UnknownGame for a game without a batch class."""
    try:
        from arena.value.search.values import trials
    except ModuleNotFoundError as error:
        raise missing("A review", error) from None
    if not views:
        return []
    among = [
        [view.indices[place] for place in some] for view, some in zip(views, places, strict=True)
    ]
    found = trials(views, 2 * samples, seed, among=among)
    return [
        _halves(each, [each.actions.index(index) for index in wanted])
        for each, wanted in zip(found, among, strict=True)
    ]


def _halves(found: Trials, rows: list[int]) -> tuple[Values, Values]:
    """Return both halves, with the actions in the order of these rows."""
    own, against = found.doubts(rows[0])
    doubts, apart = tuple(own[rows].tolist()), tuple(against[rows].tolist())
    middle = found.score.shape[1] // 2
    one, other = (
        _values(found.score[rows, some], found.points[rows, some], found.hands[some], doubts, apart)
        for some in (slice(middle), slice(middle, None))
    )
    return one, other


def _values(
    score: Floats,
    points: Floats,
    hands: Index,
    doubts: tuple[float, ...],
    doubts_apart: tuple[float, ...],
) -> Values:
    import numpy as np

    from arena.value.search.values import error_of_mean

    errors, apart = np.split(error_of_mean(np.concatenate([score, score - score[0]]), hands), 2)
    return Values(
        score.shape[1],
        tuple(score.mean(axis=1).tolist()),
        tuple(points.mean(axis=1).tolist()),
        tuple(errors.tolist()),
        tuple(apart.tolist()),
        doubts,
        doubts_apart,
    )
