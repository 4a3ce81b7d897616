"""Whether several reviews of the same decisions give the same verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from arena.value.review.model import Review
from arena.value.review.verdicts import NAMES, Verdict


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
