"""Ratings drawn with their intervals: one scale, honest ends, nothing that is not a number."""

import re

import pytest

from dashboard.layout.errorbars import axis, error_bar, scale_of
from dashboard.layout.numbers import chance, chance_heat, residual_heat, score_heat

RATINGS = [(1620.0, 20.0), (1580.0, 25.0), (1500.0, 0.0), (1470.0, 18.0), (1400.0, 30.0)]


def places(drawing: str, kind: str) -> list[float]:
    """Where lines of a kind begin, in percent."""
    return [float(x) for x in re.findall(rf'class="{kind}" x1="(-?[\d.]+)%"', drawing)]


def dot(drawing: str) -> float:
    (place,) = re.findall(r'cx="([\d.]+)%"', drawing)
    return float(place)


def test_all_lines_have_the_same_scale() -> None:
    scale = scale_of(RATINGS, 1500)

    drawn = [error_bar(scale, value, half, 1500) for value, half in RATINGS]

    assert len({tuple(places(each, "tick")) for each in drawn}) == 1
    assert len({tuple(places(each, "middle")) for each in drawn}) == 1
    assert [dot(each) for each in drawn] == sorted((dot(each) for each in drawn), reverse=True)


def test_an_interval_is_as_long_as_its_number() -> None:
    scale = scale_of(RATINGS, 1500)
    per_elo = (scale.place(1600) - scale.place(1500)) / 100

    left, right = places(error_bar(scale, 1580, 25, 1500), "cap")

    assert right - left == pytest.approx(50 * per_elo, abs=0.02)
    assert dot(error_bar(scale, 1580, 25, 1500)) == pytest.approx((left + right) / 2, abs=0.02)


def test_every_rating_and_1500_are_on_the_scale() -> None:
    scale = scale_of([(1600, 10), (1620, 10)], 1500)

    assert all(scale.shows(value) for value in (1500, 1590, 1630))
    assert len(scale.ticks) >= 2
    assert all(scale.shows(tick) for tick in scale.ticks)


def test_one_interval_that_is_far_too_wide_leaves_the_others_room() -> None:
    scale = scale_of([*RATINGS, (1500.0, 900.0)], 1500)

    wide = error_bar(scale, 1500, 900, 1500)

    assert scale.highest - scale.lowest < 500
    assert places(wide, "cap") == []  # both ends lie beyond
    assert places(wide, "whisker") == [0.0]


def test_a_rating_far_from_all_others_is_an_arrow_at_the_edge() -> None:
    scale = scale_of([*RATINGS, (700.0, 50.0)], 1500)

    last = error_bar(scale, 700, 50, 1500)

    assert scale.lowest > 1300
    assert "beyond" in last
    assert "circle" not in last
    assert "beyond" not in error_bar(scale, 1400, 30, 1500)


@pytest.mark.parametrize("estimates", [[], [(1500.0, 0.0)], [(1500.0, 0.0)] * 9])
def test_a_scale_is_never_empty(estimates: list[tuple[float, float]]) -> None:
    scale = scale_of(estimates, 1500)

    assert scale.lowest < 1500 < scale.highest
    assert dot(error_bar(scale, 1500, 0, 1500)) == pytest.approx(50, abs=1)
    assert "nan" not in axis(scale)


@pytest.mark.parametrize("span", [3, 70, 450, 2200, 50_000])
def test_ticks_are_few_and_round(span: float) -> None:
    scale = scale_of([(1500 - span, 1), (1500 + span, 1)], 1500)

    steps = {round(b - a, 6) for a, b in zip(scale.ticks, scale.ticks[1:], strict=False)}

    assert 2 <= len(scale.ticks) <= 5
    (step,) = steps
    assert str(f"{step:.0e}")[0] in "125"


# Heat maps


def test_heat_goes_both_ways_and_the_middle_has_none() -> None:
    assert score_heat(0.5) == "heat"
    assert score_heat(0.99) == "heat heat-p4"
    assert score_heat(0.01) == "heat heat-m4"
    assert chance_heat(0.75) == "heat heat-p2"
    assert [residual_heat(z) for z in (-9.0, -3.1, 0.2, 1.0)] == [
        "heat heat-m4", "heat heat-m3", "heat", "heat heat-p1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("probability", "said"),
    [(1.0, ">99.9"), (0.9995, ">99.9"), (0.998, "99.8"), (0.71, "71"), (0.5, "50"),
     (0.004, "0.4"), (0.0, "<0.1")],
)  # fmt: skip
def test_no_probability_is_called_certain(probability: float, said: str) -> None:
    assert chance(probability) == said
