"""A curve as SVG, without any script or style of its own."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

WIDTH, HEIGHT, MARGIN = 600.0, 120.0, 6.0
MOST = 200  # points; more could not be told apart


def curve(values: Sequence[float], label: str, middle: float) -> Markup:
    """A line through the values, evenly spaced, with a rule at `middle`; at least one value."""
    shown = thinned(values)
    lowest, highest = min(*shown, middle), max(*shown, middle)
    scale = (HEIGHT - 2 * MARGIN) / max(highest - lowest, 1.0)
    step = WIDTH / max(len(shown) - 1, 1)

    def height(value: float) -> str:
        return f"{HEIGHT - MARGIN - (value - lowest) * scale:.1f}"

    points = " ".join(f"{index * step:.1f},{height(value)}" for index, value in enumerate(shown))
    return Markup(
        '<svg class="curve" viewBox="0 0 {w:.0f} {h:.0f}" preserveAspectRatio="none" role="img" '
        'aria-label="{label}"><line class="curve-middle" x1="0" x2="{w:.0f}" y1="{y}" y2="{y}"/>'
        '<polyline points="{points}"/></svg>'
    ).format(w=WIDTH, h=HEIGHT, label=label, y=height(middle), points=points)


def thinned(values: Sequence[float]) -> list[float]:
    """At most `MOST` of the values, evenly taken, the first and the last among them."""
    if len(values) <= MOST:
        return list(values)
    step = (len(values) - 1) / (MOST - 1)
    return [values[round(index * step)] for index in range(MOST)]
