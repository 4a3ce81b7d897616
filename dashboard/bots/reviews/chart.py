"""A chart of accuracy: a dot for each reviewed match, and a moving average as a line."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from arena.store.reviews.reading import BotMatch
from arena.value.review.model import accuracy

TOGETHER = 10  # matches in the mean


def accuracy_chart(newest_first: Sequence[BotMatch]) -> Markup:
    """Return the chart of matches with at least one choice, oldest first."""
    matches = [match for match in reversed(newest_first) if match.stake > 0]
    dots = [
        Markup('<circle r="3" cx="{:.2f}%" cy="{:.2f}%"/>').format(
            _across(at, len(matches)), _up(accuracy(match.lost, match.stake) or 0.0)
        )
        for at, match in enumerate(matches)
    ]
    latest = [matches[max(0, at + 1 - TOGETHER) : at + 1] for at in range(len(matches))]
    line = " ".join(
        f"{_across(at, len(matches)):.2f},{_up(_mean(each)):.2f}" for at, each in enumerate(latest)
    )
    return Markup(
        '<svg class="review-chart accuracy" role="img"'
        ' aria-label="Accuracy in each reviewed match, the oldest first">{}{}'
        '<svg viewBox="0 0 100 100" preserveAspectRatio="none"><polyline class="line" points="{}"/>'
        "</svg></svg>"
    ).format(_grid(), Markup("").join(dots), line)


def _mean(matches: Sequence[BotMatch]) -> float:
    return accuracy(sum(m.lost for m in matches), sum(m.stake for m in matches)) or 0.0


# Coordinates are in percent, because the chart's width depends on the page.
def _across(at: int, count: int) -> float:
    return 100 * (at + 0.5) / max(count, 1)


def _up(share: float) -> float:
    return 100 * (1 - share)


def _grid() -> Markup:
    return Markup("").join(
        Markup(
            '<line class="grid" x1="0" x2="100%" y1="{y:.0f}%" y2="{y:.0f}%"/>'
            '<text x="-8" y="{y:.0f}%" dy=".35em">{}%</text>'
        ).format(percent, y=_up(percent / 100))
        for percent in (0, 25, 50, 75, 100)
    )
