"""Draws what `arena bench growth` measured: an SVG for each part, from its JSON.

At the left decisions per second, at the right what a decision costs, by process; the x axes are
logarithmic. The same figures give the same bytes. A drawing has a background and colours of its
own, for light and dark surroundings: within an `img` it cannot have the page's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import ceil, floor, log2, log10
from typing import Any

from arena.base.errors import InvalidRequest

WIDTH, HEIGHT, EDGE = 880, 360, 22
TOP, BASE = 108, 282  # of the plots
LEFT, RIGHT = (74, 432), (506, 864)  # from where to where they go across
PAD = 24.0  # left of the first point and right of the last
MOST_TICKS = 5
WIDEST = 34.0  # of bars
HEADROOM = 1.1  # above the highest point, for its label

# By part: its title, and what is counted along x.
TITLES = {
    "bots": ("Connected bots that play", "bots"),
    "flight": ("Matches in flight", "matches in flight"),
    "workers": ("Worker processes", "worker processes"),
    "gateways": ("Gateways", "gateways"),
}
# Processes as the figures name them, and as the legend does; whatever else runs is the last.
PROCESSES = {"worker": "worker", "gateway": "gateway", "bots": "bots", "redis": "Redis"}
OTHERS = "others"

STYLE = """
svg { --sheet: #fff; --ink: #1f2b28; --soft: #5b6764; --line: #dfe4e2;
  --c0: #1d6a54; --c1: #3f7fd0; --c2: #d69a2d; --c3: #b8468a; --c4: #98a19e;
  font: 13px system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
@media (prefers-color-scheme: dark) {
  svg { --sheet: #17201e; --ink: #e4ebe9; --soft: #a8b5b1; --line: #33403d;
    --c0: #74cdac; --c1: #7fb0f2; --c2: #e0b95a; --c3: #ea92c2; --c4: #7f8b88; }
}
.sheet { fill: var(--sheet); stroke: var(--line); }
text { fill: var(--ink); }
.soft { fill: var(--soft); font-size: 12px; }
.title { font-size: 17px; font-weight: 600; }
.name { font-weight: 600; }
.middle, .value { text-anchor: middle; }
.number { fill: var(--soft); font-size: 11px; text-anchor: middle; }
.end { text-anchor: end; }
.value { font-size: 12px; font-weight: 600;
  paint-order: stroke; stroke: var(--sheet); stroke-width: 4px; }
.grid { stroke: var(--line); }
.axis { stroke: var(--soft); }
.curve { fill: none; stroke: var(--c0); stroke-width: 2.5; stroke-linejoin: round; }
.c0 { fill: var(--c0); } .c1 { fill: var(--c1); } .c2 { fill: var(--c2); }
.c3 { fill: var(--c3); } .c4 { fill: var(--c4); }
"""


def draw(figures: Mapping[str, Any]) -> dict[str, str]:
    """The drawings of these figures (the JSON of `arena bench growth`), by part. Raises
    InvalidRequest for other figures."""
    try:
        return {grown["part"]: _drawing(grown, figures) for grown in figures["growth"]}
    except (KeyError, TypeError, ValueError, IndexError, ZeroDivisionError) as error:
        raise InvalidRequest(
            "These are not the figures that `arena bench growth --json` prints "
            f"({type(error).__name__}: {error})."
        ) from None


@dataclass(frozen=True)
class _Panel:
    """One of the two plots: numbers along x, ascending, and from 0 to `highest` along y."""

    across: tuple[int, int]
    numbers: Sequence[int]
    highest: float

    def x(self, number: int) -> float:
        """Where a number lies; one alone is in the middle."""
        low, high = log2(self.numbers[0]), log2(self.numbers[-1])
        left, right = self.across[0] + PAD, self.across[1] - PAD
        if low == high:
            return (left + right) / 2
        return left + (log2(number) - low) / (high - low) * (right - left)

    def y(self, value: float) -> float:
        """Where a value lies."""
        return BASE - value / self.highest * (BASE - TOP)

    @property
    def bar(self) -> float:
        """How wide bars are: none touches the next."""
        places = [self.x(number) for number in self.numbers]
        return min([WIDEST, *(0.75 * (after - place) for place, after in pairwise(places))])


def _drawing(grown: Mapping[str, Any], figures: Mapping[str, Any]) -> str:
    title, unit = TITLES[grown["part"]]
    points = sorted(grown["points"], key=lambda point: int(point["grown"]))
    numbers = [int(point["grown"]) for point in points]
    speeds = [float(point["decisions_per_s"]) for point in points]
    costs = [costs_of(point) for point in points]
    totals = [sum(cost.values()) for cost in costs]
    speed = _Panel(LEFT, numbers, HEADROOM * max(speeds) or 1.0)
    cost = _Panel(RIGHT, numbers, HEADROOM * max(totals) or 1.0)
    said = "; ".join(
        f"{number:,} {unit}: {rate:,.0f} decisions/s, {total:,.1f} µs of CPU time each"
        for number, rate, total in zip(numbers, speeds, totals, strict=True)
    )
    parts = [
        _text(EDGE, 36, title, "title"),
        *_axes(speed, "Throughput", "decisions per second", unit),
        *_curve(speed, speeds),
        *_axes(cost, "CPU time", "µs per decision", unit),
        *_bars(cost, costs),
        *_legend(),
        _text(EDGE, HEIGHT - 16, _conditions(points, figures), "soft"),
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'width="{WIDTH}" height="{HEIGHT}" role="img" aria-labelledby="title desc">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="desc">{escape(said)}.</desc>',
            f"<style>{STYLE}</style>",
            f'<rect class="sheet" x=".5" y=".5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="8"/>',
            *parts,
            "</svg>\n",
        ]
    )


def costs_of(point: Mapping[str, Any]) -> dict[str, float]:
    """CPU time of a point for each decision, in microseconds, by process as in the legend."""
    costs = dict.fromkeys((*PROCESSES.values(), OTHERS), 0.0)
    for name, seconds in point["cpu"].items():
        costs[PROCESSES.get(name, OTHERS)] += 1e6 * seconds / point["decisions"]
    return costs


def short(value: float) -> str:
    """A number in as few characters as say it: 417, 2.4k, 19.5k, 112k."""
    if value < 999.5:
        return f"{value:.0f}" if value >= 99.95 else f"{value:.3g}"
    return f"{value / 1000:.{0 if value >= 99_950 else 1}f}k"


def ticks(highest: float) -> list[float]:
    """Multiples of a round number from 0 on, at most MOST_TICKS above it."""
    size = 10.0 ** floor(log10(highest / MOST_TICKS))
    step = next(size * times for times in (1, 2, 5, 10) if highest / size / times <= MOST_TICKS)
    return [step * number for number in range(ceil(highest / step)) if step * number <= highest]


def _axes(panel: _Panel, name: str, y_title: str, x_title: str) -> Iterator[str]:
    left, right = panel.across
    yield _text(left, TOP - 38, name, "name")
    for value in ticks(panel.highest):
        y = panel.y(value)
        yield _line("grid" if value else "axis", left, right, y)
        yield _text(left - 8, y + 4, short(value).replace(".0k", "k"), "soft end")
    for number in panel.numbers:
        yield _text(panel.x(number), BASE + 18, f"{number:,}", "number")
    yield _text((left + right) / 2, BASE + 38, x_title, "soft middle")
    x, y = left - 40, (TOP + BASE) / 2
    yield f'<g transform="translate({x} {y}) rotate(-90)">{_text(0, 0, y_title, "soft middle")}</g>'


def _curve(panel: _Panel, values: Sequence[float]) -> Iterator[str]:
    places = [(panel.x(n), panel.y(v)) for n, v in zip(panel.numbers, values, strict=True)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    yield f'<polyline class="curve" points="{line}"/>'
    for (x, y), value in zip(places, values, strict=True):
        yield f'<circle class="c0" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
        yield _text(x, y - 10, short(value), "value")


def _bars(panel: _Panel, costs: Sequence[Mapping[str, float]]) -> Iterator[str]:
    """A bar for each point, of the processes one above the other."""
    for number, cost in zip(panel.numbers, costs, strict=True):
        below = 0.0
        for colour, value in enumerate(cost.values()):
            y, height = panel.y(below + value), panel.y(below) - panel.y(below + value)
            yield (
                f'<rect class="c{colour}" x="{panel.x(number) - panel.bar / 2:.1f}" y="{y:.1f}" '
                f'width="{panel.bar:.1f}" height="{height:.1f}"/>'
            )
            below += value
        yield _text(panel.x(number), panel.y(below) - 7, f"{below:,.{int(below < 100)}f}", "value")


def _legend() -> Iterator[str]:
    x = float(RIGHT[0])
    for colour, name in enumerate((*PROCESSES.values(), OTHERS)):
        yield f'<rect class="c{colour}" x="{x}" y="{TOP - 28}" width="11" height="11" rx="2"/>'
        yield _text(x + 16, TOP - 18, name, "soft")
        x += 32 + 6.8 * len(name)


def _conditions(points: Sequence[Mapping[str, Any]], figures: Mapping[str, Any]) -> str:
    """What all points have, and what was measured."""
    words = {
        "bots": "bots",
        "in_flight": "matches in flight",
        "workers": "worker processes",
        "gateways": "gateways",
    }
    loads = [
        f"{_span([point['load'][field] for point in points])} {unit}"
        for field, unit in words.items()
        if any(point["load"][field] != point["grown"] for point in points)
    ]
    ran = f"{figures['cores']} cores, Python {figures['python']}, rules {figures['rules']}"
    return f"{', '.join(loads)}; {ran}".replace("1 gateways", "1 gateway")


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _line(kind: str, x1: float, x2: float, y: float) -> str:
    return f'<line class="{kind}" x1="{x1}" x2="{x2}" y1="{y:.1f}" y2="{y:.1f}"/>'


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'
