"""Error bars as SVG, one per line and all on one scale.

Coordinates are percentages, so a drawing fills its cell and its dots stay round.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor, log10
from statistics import median, quantiles

from markupsafe import Markup

MIDDLE = 9  # of a drawing's height, in pixels
MARGIN = 0.04  # of the scale, on both sides
WIDEST = 3.0  # times the median interval; wider ones do not stretch the scale
FENCE = 2.0  # times the interquartile range; values farther out do not stretch the scale
FEWEST = 5  # values needed to detect outliers
MOST_TICKS = 5


@dataclass(frozen=True)
class Scale:
    """A scale from `lowest` to `highest`, with ticks at round numbers."""

    lowest: float
    highest: float
    ticks: tuple[float, ...]

    @cached_property
    def grid(self) -> str:
        return "".join(_rule(self, tick, "tick") for tick in self.ticks)

    def place(self, value: float) -> float:
        """Return the position of a value in percent of the width, clamped to the edges."""
        share = (value - self.lowest) / (self.highest - self.lowest)
        return 100.0 * min(max(share, 0.0), 1.0)

    def shows(self, value: float) -> bool:
        return self.lowest <= value <= self.highest


def scale_of(estimates: Sequence[tuple[float, float]], around: float) -> Scale:
    """Return a scale for estimates (value, half an interval) and the value `around`. Outliers and
    unusually wide intervals do not stretch the scale."""
    known = [half for _, half in estimates if half > 0]
    widest = WIDEST * median(known) if known else 0.0
    low, high = _fences([value for value, _ in estimates])
    ends = [
        value + sign * min(half, widest)
        for value, half in estimates
        if low <= value <= high
        for sign in (-1.0, 1.0)
    ]
    lowest, highest = min([*ends, around]), max([*ends, around])
    margin = MARGIN * (highest - lowest) or 1.0
    return Scale(lowest - margin, highest + margin, _ticks(lowest - margin, highest + margin))


def error_bar(scale: Scale, value: float, half: float, middle: float) -> Markup:
    """Return a dot with its interval, and a grid line at `middle`.

    An end off the scale has no cap, and a value off the scale is an arrow at the edge. The drawing
    is hidden from screen readers, so the numbers must be shown, too.
    """
    rules = scale.grid + _rule(scale, middle, "middle")
    if not scale.shows(value):
        return _drawing("error-bar", 2 * MIDDLE, rules + _arrow(left=value < scale.lowest))
    ends = [value - half, value + half]
    x1, x2 = map(scale.place, ends)
    caps = [
        _line("cap", scale.place(end), scale.place(end), MIDDLE - 4, MIDDLE + 4)
        for end in ends
        if half > 0 and scale.shows(end)
    ]
    dot = f'<circle cx="{scale.place(value):.2f}%" cy="{MIDDLE}" r="3.5"/>'
    whisker = _line("whisker", x1, x2, MIDDLE, MIDDLE)
    return _drawing("error-bar", 2 * MIDDLE, rules + whisker + "".join(caps) + dot)


def axis(scale: Scale) -> Markup:
    """Return the ticks of a scale with their numbers, for the head of the column."""
    edges = {scale.ticks[0], scale.ticks[-1]} if scale.ticks else set()
    texts = [
        f'<text class="{"edge" if tick in edges else "inner"}" x="{scale.place(tick):.2f}%" '
        f'y="11">{tick:g}</text>'
        for tick in scale.ticks
    ]
    # The stylesheet hides the inner numbers in narrow columns.
    return Markup('<span class="axis-room">{}</span>').format(_drawing("axis", 14, "".join(texts)))


def _fences(values: Sequence[float]) -> tuple[float, float]:
    """Return the limits beyond which values are outliers, by the interquartile range."""
    if len(values) < FEWEST:
        return float("-inf"), float("inf")
    first, _, third = quantiles(values, n=4, method="inclusive")
    reach = max(FENCE * (third - first), 1.0)
    return first - reach, third + reach


def _arrow(*, left: bool) -> str:
    edge, side = ("0", 7) if left else ("100%", -7)
    return (
        f'<svg x="{edge}" width="8" overflow="visible"><path class="beyond" '
        f'd="M{side} {MIDDLE - 4} L0 {MIDDLE} L{side} {MIDDLE + 4}"/></svg>'
    )


def _ticks(lowest: float, highest: float) -> tuple[float, ...]:
    """Return at most MOST_TICKS multiples of a round number between the two."""
    size = 10.0 ** floor(log10((highest - lowest) / MOST_TICKS))
    for step in (size, 2 * size, 5 * size, 10 * size):
        first, last = ceil(lowest / step), floor(highest / step)
        if last - first < MOST_TICKS:
            break
    return tuple(number * step for number in range(first, last + 1))


def _rule(scale: Scale, value: float, kind: str) -> str:
    place = scale.place(value)
    return _line(kind, place, place, -12, 2 * MIDDLE + 12)  # through the cell's padding


def _line(kind: str, x1: float, x2: float, y1: int, y2: int) -> str:
    return f'<line class="{kind}" x1="{x1:.2f}%" x2="{x2:.2f}%" y1="{y1}" y2="{y2}"/>'


def _drawing(kind: str, height: int, parts: str) -> Markup:
    """Return an SVG. The parts only have numbers and texts of this file, so nothing is escaped."""
    opened = f'<svg class="{kind}" width="100%" height="{height}" aria-hidden="true">'
    return Markup(f"{opened}{parts}</svg>")  # noqa: S704
