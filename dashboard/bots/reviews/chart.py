"""Accuracy over time: a dot for each reviewed match, and the mean of the latest ones as a line."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from arena.store.reviews.reading import BotMatch
from arena.value.review.model import accuracy

WIDTH, HEIGHT = 900.0, 200.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 14.0, 12.0, 12.0
TOGETHER = 10  # matches in the mean


def accuracy_chart(newest_first: Sequence[BotMatch]) -> Markup:
    """A chart of the matches in which there was a choice, the oldest on the left."""
    matches = [match for match in reversed(newest_first) if match.stake > 0]
    dots = [
        Markup('<circle r="3" cx="{:.1f}" cy="{:.1f}"/>').format(
            _across(at, len(matches)), _up(accuracy(match.lost, match.stake) or 0.0)
        )
        for at, match in enumerate(matches)
    ]
    latest = [matches[max(0, at + 1 - TOGETHER) : at + 1] for at in range(len(matches))]
    line = " ".join(
        f"{_across(at, len(matches)):.1f},{_up(_mean(each)):.1f}" for at, each in enumerate(latest)
    )
    return Markup(
        '<svg class="review-chart accuracy" viewBox="0 0 {:.0f} {:.0f}" role="img"'
        ' aria-label="Accuracy in each reviewed match, the oldest first">{}{}'
        '<polyline class="line" points="{}"/></svg>'
    ).format(WIDTH, HEIGHT, _grid(), Markup("").join(dots), line)


def _mean(matches: Sequence[BotMatch]) -> float:
    return accuracy(sum(m.lost for m in matches), sum(m.stake for m in matches)) or 0.0


def _across(at: int, count: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (at + 0.5) / max(count, 1)


def _up(share: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share


def _grid() -> Markup:
    return Markup("").join(
        Markup(
            '<line class="grid" x1="{}" x2="{}" y1="{y:.1f}" y2="{y:.1f}"/>'
            '<text x="{}" y="{:.1f}">{}%</text>'
        ).format(LEFT, WIDTH - RIGHT, LEFT - 6, _up(percent / 100) + 4, percent,
                 y=_up(percent / 100))
        for percent in (0, 25, 50, 75, 100)
    )  # fmt: skip
