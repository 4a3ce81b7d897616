"""How reliable reviews are: expected scores compared with results, and verdicts compared between
reviews of the same decisions."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from arena.games.match import Match, Result
from arena.value.review.model import NAMES, Review, Verdict
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


class Agreement(NamedTuple):
    """How far several reviews agree on one verdict, or on all."""

    verdict: str  # "" for all together
    marked: int  # decisions with this verdict in at least one review
    same: int  # of these, decisions with the same verdict in every review
    again: float | None  # the probability that another review gives the same verdict


def marks_of(reviews: Sequence[Review]) -> Iterator[tuple[Verdict, ...]]:
    """Yield the verdicts of all reviews of a match for each decision."""
    return zip(*[[each.verdict for each in one.decisions] for one in reviews], strict=True)


def agreement(found: Iterable[Sequence[Verdict]]) -> list[Agreement]:
    """Return the agreement on each verdict, the worst first, then on all together."""
    marked = [each for each in found if any(each)]
    return [_of(kind, [each for each in marked if kind in each]) for kind in NAMES] + [
        _of("", marked)
    ]


def _of(kind: str, marked: Sequence[Sequence[Verdict]]) -> Agreement:
    pairs = same_pairs = 0
    for each in marked:
        for name in NAMES:
            if kind in ("", name):
                count = each.count(name)
                pairs += count * (len(each) - 1)
                same_pairs += count * (count - 1)
    same = sum(len(set(each)) == 1 for each in marked)
    return Agreement(kind, len(marked), same, same_pairs / pairs if pairs else None)
