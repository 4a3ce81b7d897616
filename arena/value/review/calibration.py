"""Whether what reviews expect comes true: expected scores beside those that followed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from arena.match import Match, Result
from arena.value.review.model import Review

BINS: Final = 10


class Expected(NamedTuple):
    """Of one choice: the score that was expected after it, and the one that the match brought."""

    match: str
    expected: float
    came: float


class Bin(NamedTuple):
    """Choices whose expected scores are close together."""

    choices: int
    matches: int
    expected: float  # mean
    came: float  # mean
    error: float  # standard error of `came`: choices of one match are not independent


def expectations(review: Review, match: Match) -> list[Expected]:
    """One for each judged choice."""
    came = scores(match.result)
    return [Expected(review.match, each.score, came[each.seat]) for each in review.decisions]


def scores(result: Result) -> list[float]:
    """By seat, the mean over the others: 1 for a better rank, ½ for the same."""
    ranks = result.ranks
    return [
        sum((own < other) + (own == other) / 2 for at, other in enumerate(ranks) if at != seat)
        / (len(ranks) - 1)
        for seat, own in enumerate(ranks)
    ]


def calibration(found: Iterable[Expected], bins: int = BINS) -> list[Bin]:
    """The choices in bins of equal width, those without any left out."""
    sorted_in: list[list[Expected]] = [[] for _ in range(bins)]
    for each in found:
        sorted_in[min(bins - 1, int(each.expected * bins))].append(each)
    return [_bin(each) for each in sorted_in if each]


def _bin(found: Sequence[Expected]) -> Bin:
    expected = sum(each.expected for each in found) / len(found)
    came = sum(each.came for each in found) / len(found)
    by_match: dict[str, float] = {}
    for each in found:
        by_match[each.match] = by_match.get(each.match, 0.0) + each.came - came
    error = math.sqrt(sum(part**2 for part in by_match.values())) / len(found)
    return Bin(len(found), len(by_match), expected, came, error)
