"""Calibration of reviews: expected scores compared with results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from arena.games.match import Match, Result
from arena.value.review.model import Review
from arena.value.review.situation import situations

BINS: Final = 10
POINTS: Final = 10  # width of a bin by points


class Expected(NamedTuple):
    """The expected score after one choice, and the actual one."""

    match: str
    expected: float
    came: float
    points: int = 0  # held by the seat


class Bin(NamedTuple):
    """Choices with similar expected scores or points."""

    least: float  # the lower bound, a score or points
    choices: int
    matches: int
    expected: float  # mean
    came: float  # mean
    error: float  # standard error of `came`, clustered by match


def expectations(review: Review, match: Match) -> list[Expected]:
    """Return one for each judged choice."""
    came = scores(match.result)
    held = situations(match)
    return [
        Expected(review.match, each.score, came[each.seat], held[each.number].points[each.seat])
        for each in review.decisions
    ]


def scores(result: Result) -> list[float]:
    """Return each seat's mean score against the others: 1 for a better rank, ½ for the same."""
    ranks = result.ranks
    return [
        sum((own < other) + (own == other) / 2 for at, other in enumerate(ranks) if at != seat)
        / (len(ranks) - 1)
        for seat, own in enumerate(ranks)
    ]


def calibration(found: Iterable[Expected], bins: int = BINS) -> list[Bin]:
    """Return the choices in bins of equal width by expected score, without empty bins."""
    return _binned(found, lambda each: min(bins - 1, int(each.expected * bins)) / bins)


def calibration_by_points(found: Iterable[Expected]) -> list[Bin]:
    """Return the choices in bins by the points of their seats."""
    return _binned(found, lambda each: each.points // POINTS * POINTS)


def _binned(found: Iterable[Expected], least: Callable[[Expected], float]) -> list[Bin]:
    sorted_in: dict[float, list[Expected]] = {}
    for each in found:
        sorted_in.setdefault(least(each), []).append(each)
    return [_bin(begins, sorted_in[begins]) for begins in sorted(sorted_in)]


def _bin(least: float, found: Sequence[Expected]) -> Bin:
    expected = sum(each.expected for each in found) / len(found)
    came = sum(each.came for each in found) / len(found)
    by_match: dict[str, float] = {}
    for each in found:
        by_match[each.match] = by_match.get(each.match, 0.0) + each.came - came
    error = math.sqrt(sum(part**2 for part in by_match.values())) / len(found)
    return Bin(least, len(found), len(by_match), expected, came, error)
