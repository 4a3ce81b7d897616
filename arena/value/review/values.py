"""Where the values of actions come from: `arena.value.search`, or whatever a test gives."""

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

VERSION: Final = 3  # to be raised whenever `arena.value.search` values actions otherwise
SAMPLES: Final = 64  # states for an action in each of two halves, on average over a match
NETS: Final = Path(__file__).parents[1] / "nets"


class Values(NamedTuple):
    """What some actions of one decision are worth, tried in the same states.

    Differences are to the score of one of them, the reference: to itself they are 0.
    """

    states: int
    scores: tuple[float, ...]  # expected at the end of the match, from 0 to 1
    points: tuple[float, ...]  # expected to be taken until the end of the round
    errors: tuple[float, ...]  # standard errors of the scores, from sampling
    apart: tuple[float, ...]  # standard errors of the differences, which are smaller
    doubts: tuple[float, ...]  # variances of the scores from the error of end values
    doubts_apart: tuple[float, ...]  # variances of the differences from that


class Evaluate(Protocol):
    """Values of actions of many decisions, from states drawn to fit what the seats know."""

    def __call__(
        self, views: Sequence[View], places: Sequence[Sequence[int]], samples: int, seed: int
    ) -> Sequence[tuple[Values, Values]]:
        """For each view the values of the actions at these places among its legal ones, the first
        of which is the reference: from two independent halves of 2 · `samples` states. Equal
        arguments give equal values. NumPy may be missing."""


class Reviewer(NamedTuple):
    """Who reviews."""

    name: str  # changes whenever reviews would
    samples: int  # states for an action in each of two halves, on average over a match


@cache
def reviewer() -> Reviewer:
    """Who reviews in this installation: other nets make another reviewer."""
    digest = hashlib.sha256()
    for file in sorted([*NETS.glob("outcome-*.npz"), *NETS.glob("policy-*.npz")]):
        digest.update(file.read_bytes())
    return Reviewer(f"sharp-{VERSION}-{2 * SAMPLES}-{digest.hexdigest()[:8]}", SAMPLES)


def evaluate(
    views: Sequence[View], places: Sequence[Sequence[int]], samples: int, seed: int
) -> Sequence[tuple[Values, Values]]:
    """By `arena.value.search`, all in one batch. Raises MissingExtra without NumPy, UnknownGame for
    a game that is not played in batches."""
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
    """The two halves, with the actions in the order of these rows."""
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
    apart: tuple[float, ...],
) -> Values:
    from arena.value.search.values import error_of_mean

    return Values(
        score.shape[1],
        tuple(score.mean(axis=1).tolist()),
        tuple(points.mean(axis=1).tolist()),
        tuple(error_of_mean(score, hands).tolist()),
        tuple(error_of_mean(score - score[0], hands).tolist()),
        doubts,
        apart,
    )
