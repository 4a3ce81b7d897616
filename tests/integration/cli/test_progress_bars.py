"""Progress bars stay within what HTML allows: 0 <= value <= max, and max is above 0."""

from types import SimpleNamespace

import pytest
from flask import Flask


@pytest.mark.parametrize(
    ("points", "drawn"), [(0, 0), (40, 40), (51, 40)], ids=["none", "all", "more"]
)
def test_points_beyond_the_end_fill_the_bar(app: Flask, points: int, drawn: int) -> None:
    with app.test_request_context():
        parts = app.jinja_env.get_template("matches/replay/parts.html")
        bar = parts.make_module({}).holds(SimpleNamespace(points=points, scored=None))  # type: ignore[attr-defined]

    assert f'max="40" value="{drawn}"' in bar
    assert f"<b>{points}</b>" in bar


@pytest.mark.parametrize(("done", "total", "drawn"), [(1, 2, "1 2"), (3, 2, "2 2"), (0, 0, "0 1")])
def test_a_tournament_s_bar_is_full_at_most(app: Flask, done: int, total: int, drawn: str) -> None:
    with app.test_request_context():
        parts = app.jinja_env.get_template("layout/parts.html")
        bar = parts.make_module({}).bar(done, total, "Matches")  # type: ignore[attr-defined]

    value, most = drawn.split()
    assert f'value="{value}" max="{most}"' in bar
    assert f"{done} of {total}" in bar
