"""Charts as static SVG."""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from arena.store.projections.rating_history import Point

WIDTH, HEIGHT, MARGIN = 600.0, 120.0, 6.0
SPARK_WIDTH, SPARK_HEIGHT, SPARK_MARGIN = 60.0, 20.0, 2.0
FLAT = 40.0  # Elo: minimum range of a sparkline, so that small changes look flat


def banded(points: Sequence[Point], label: str, middle: float) -> Markup:
    """Return a line with its band, like `charts.js` but without scripts; needs two points."""
    lowest, highest = reach(points)
    scale = (HEIGHT - 2 * MARGIN) / max(highest - lowest, 1.0)
    across = WIDTH / max(points[-1].match, 1)

    def place(match: int, value: float) -> str:
        clamped = min(max(HEIGHT - MARGIN - (value - lowest) * scale, 0.0), HEIGHT)
        return f"{match * across:.1f},{clamped:.1f}"

    edge = [place(p.match, p.high) for p in points]
    edge += [place(p.match, p.low) for p in reversed(points)]
    return Markup(
        '<svg class="curve" viewBox="0 0 {w:.0f} {h:.0f}" preserveAspectRatio="none" role="img" '
        'aria-label="{label}"><polygon points="{edge}"/>'
        '<line class="curve-middle" x1="0" x2="{w:.0f}" y1="{y}" y2="{y}"/>'
        '<polyline points="{line}"/></svg>'
    ).format(
        w=WIDTH, h=HEIGHT, label=label, edge=" ".join(edge), y=place(0, middle).partition(",")[2],
        line=" ".join(place(p.match, p.elo) for p in points),
    )  # fmt: skip


def curve_of(rows: Sequence[Mapping[str, Any]], x: str, y: str, label: str) -> Markup:
    """Return a line over rows, like `charts.js` but without scripts. Rows without a y are skipped.
    Empty with fewer than two points."""
    known = [(row[x], row[y]) for row in rows if row[y] is not None]
    if len(known) < 2:
        return Markup("")
    first, last = known[0][0], known[-1][0]
    lowest, highest = min(value for _, value in known), max(value for _, value in known)
    across, scale = WIDTH / ((last - first) or 1), (HEIGHT - 2 * MARGIN) / ((highest - lowest) or 1)
    return Markup(
        '<svg class="curve" viewBox="0 0 {w:.0f} {h:.0f}" preserveAspectRatio="none" role="img" '
        'aria-label="{label}"><polyline points="{line}"/></svg>'
    ).format(
        w=WIDTH, h=HEIGHT, label=label,
        line=" ".join(
            f"{(at - first) * across:.1f},{HEIGHT - MARGIN - (value - lowest) * scale:.1f}"
            for at, value in known
        ),
    )  # fmt: skip


def reach(points: Sequence[Point]) -> tuple[float, float]:
    """Return the visible range of a line and its band. The wide beginning of the band is cut off,
    because it would flatten the rest."""
    settled = points[len(points) // 10 if len(points) > 10 else 0 :]
    return (
        min(*(p.elo for p in points), *(p.low for p in settled)),
        max(*(p.elo for p in points), *(p.high for p in settled)),
    )


def sparkline(values: Sequence[float], label: str) -> Markup:
    """Return a small line with its own scale; needs two values."""
    span = max(max(values) - min(values), FLAT)
    middle = (max(values) + min(values)) / 2
    step = (SPARK_WIDTH - 2 * SPARK_MARGIN) / (len(values) - 1)
    room = SPARK_HEIGHT - 2 * SPARK_MARGIN
    places = [
        (SPARK_MARGIN + index * step, SPARK_HEIGHT / 2 - (value - middle) / span * room)
        for index, value in enumerate(values)
    ]
    return Markup(
        '<svg class="spark" viewBox="0 0 {w:.0f} {h:.0f}" width="{w:.0f}" height="{h:.0f}" '
        'role="img" aria-label="{label}"><polyline points="{points}"/>'
        '<circle cx="{x:.1f}" cy="{y:.1f}" r="1.8"/></svg>'
    ).format(
        w=SPARK_WIDTH, h=SPARK_HEIGHT, label=label, x=places[-1][0], y=places[-1][1],
        points=" ".join(f"{x:.1f},{y:.1f}" for x, y in places),
    )  # fmt: skip
