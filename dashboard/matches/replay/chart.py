"""Chart of the points after each round, with a line for each seat."""

from collections.abc import Sequence

from markupsafe import Markup

WIDTH, HEIGHT = 640.0, 250.0
LEFT, RIGHT, TOP, BOTTOM = 34.0, 14.0, 12.0, 28.0
ENDS_AT = 40  # points at which a match ends
MOST_LABELS = 12
MOST_MARKS = 40  # rounds; beyond that, marks would overlap

# A mark for each seat, so that lines differ without colours.
MARKS = (
    Markup('<circle r="4.5"/>'),
    Markup('<rect x="-4" y="-4" width="8" height="8"/>'),
    Markup('<path d="M0-5.5 5 4-5 4z"/>'),
    Markup('<path d="M0-6 6 0 0 6-6 0z"/>'),
    Markup('<path d="M0 5.5 5-4-5-4z"/>'),
    Markup('<path d="M-2-5h4v3h3v4H2v3h-4V2h-3v-4h3z"/>'),
)


def mark(seat: int) -> Markup:
    """A seat's line and mark from the chart, for the head of a table."""
    return Markup(
        '<svg class="key line-{seat}" viewBox="0 0 28 14" width="28" height="14" '
        'aria-hidden="true"><path class="line" d="M0 7H28"/>'
        '<g transform="translate(14 7)">{mark}</g></svg>'
    ).format(seat=seat, mark=MARKS[seat])


def points_chart(held: Sequence[Sequence[int]], label: str) -> Markup:
    """The chart. `held` are the points by seat, before the match and after each round."""
    rounds = len(held) - 1
    most = max(ENDS_AT + 4, *(max(points) for points in held))
    across, up = _scales(rounds, most)
    lines = [
        _line(seat, points, across, up, marked=rounds <= MOST_MARKS)
        for seat, points in enumerate(zip(*held, strict=True))
    ]
    return Markup(
        '<svg class="points-chart" viewBox="0 0 {w:.0f} {h:.0f}" role="img" aria-label="{label}">'
        '{grid}<line class="here" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{base}"/>{lines}</svg>'
    ).format(
        w=WIDTH, h=HEIGHT, label=label, x=LEFT, top=TOP, base=HEIGHT - BOTTOM,
        grid=_grid(rounds, most), lines=Markup("").join(lines),
    )  # fmt: skip


def _scales(rounds: int, most: int) -> tuple[float, float]:
    return (WIDTH - LEFT - RIGHT) / max(rounds, 1), (HEIGHT - TOP - BOTTOM) / most


def _line(seat: int, points: Sequence[int], across: float, up: float, marked: bool) -> Markup:
    places = [
        (LEFT + across * number, HEIGHT - BOTTOM - up * held) for number, held in enumerate(points)
    ]
    return seat_line(seat, places, places[1:] if marked else places[-1:])


def seat_line(
    seat: int, places: Sequence[tuple[float, float]], marked: Sequence[tuple[float, float]]
) -> Markup:
    """Return a seat's line through `places`, with its mark at some of them."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    marks = [
        Markup('<g transform="translate({:.1f} {:.1f})">{}</g>').format(x, y, MARKS[seat])
        for x, y in marked
    ]
    return Markup('<g class="line-{}"><polyline class="line" points="{}"/>{}</g>').format(
        seat, path, Markup("").join(marks)
    )


def _grid(rounds: int, most: int) -> Markup:
    across, up = _scales(rounds, most)
    parts = []
    for points in range(0, most + 1, 10):
        kind, y = "limit" if points == ENDS_AT else "grid", HEIGHT - BOTTOM - up * points
        parts.append(level(kind, LEFT, WIDTH - RIGHT, y, LEFT - 7, str(points)))
    step = -(-rounds // MOST_LABELS)
    for number in range(step, rounds + 1, step):
        x = LEFT + across * number
        parts.append(
            Markup('<text class="under" x="{:.1f}" y="{}">{}</text>').format(x, HEIGHT - 9, number)
        )
    return Markup("").join(parts)


def level(kind: str, x1: float, x2: float, y: float, label_x: float, label: str) -> Markup:
    """Return a horizontal line of the grid with its label."""
    return Markup(
        '<line class="{}" x1="{}" x2="{}" y1="{y:.1f}" y2="{y:.1f}"/>'
        '<text x="{}" y="{:.1f}">{}</text>'
    ).format(kind, x1, x2, label_x, y + 4, label, y=y)
