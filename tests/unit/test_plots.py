"""The drawings of `arena bench growth`: all points are there, and lie where they should."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any
from xml.etree import ElementTree

import pytest

from arena.base.errors import InvalidRequest
from arena.bench.growth import Growth
from arena.bench.plots import costs_of, draw, short, ticks
from tests.made_growth import growth

SVG = "{http://www.w3.org/2000/svg}"


def figures(*grown: Growth) -> dict[str, Any]:
    parts = [
        {
            "part": each.part,
            "points": [
                {**asdict(point), "decisions_per_s": point.decisions_per_s} for point in each.points
            ],
        }
        for each in grown
    ]
    ran = {"cores": 2, "python": "3.11.2", "rules": "compiled <&>"}
    made: dict[str, Any] = json.loads(json.dumps({**ran, "growth": parts}))
    return made


def drawing(grown: Growth) -> ElementTree.Element:
    return ElementTree.fromstring(draw(figures(grown))[grown.part])


def texts(root: ElementTree.Element) -> list[str]:
    return [each.text or "" for each in root.iter(f"{SVG}text")]


def test_each_part_has_a_drawing_and_the_same_figures_give_the_same() -> None:
    made = figures(growth("bots", 6.0, 7.0), growth("workers", 6.0, 6.0, 6.0))

    drawn = draw(made)

    assert list(drawn) == ["bots", "workers"]
    assert draw(json.loads(json.dumps(made))) == drawn


def test_it_says_what_it_shows_with_units_and_under_which_conditions() -> None:
    root = drawing(growth("bots", 6.0, 7.0, 8.0))

    shown = texts(root)
    assert shown[0] == "Connected bots that play"
    assert {"Throughput", "CPU time", "decisions per second", "µs per decision"} <= set(shown)
    assert shown.count("bots") == 3  # below both axes, and in the legend
    assert shown[-1] == (
        "512 matches in flight, 2 worker processes, 1 gateway; 2 cores, Python 3.11.2, "
        "rules compiled <&>"
    )
    assert root.findtext(f"{SVG}title") == "Connected bots that play"
    assert "16 bots: 5,000 decisions/s, 116.7 µs of CPU time each" in str(
        root.findtext(f"{SVG}desc")
    )
    assert "prefers-color-scheme: dark" in str(root.findtext(f"{SVG}style"))


def test_every_point_has_its_place_and_its_value() -> None:
    root = drawing(growth("flight", 60.0, 30.0, 12.0, 6.0, 6.0, 6.0))

    circles = list(root.iter(f"{SVG}circle"))
    across = [float(each.attrib["cx"]) for each in circles]
    assert len(circles) == 6
    assert across == sorted(across)
    # Logarithmic: from 8 to 64 as far as from 64 to 512, and thrice as far as a factor of two.
    assert across[2] - across[1] == pytest.approx(across[3] - across[2], abs=0.2)
    assert texts(root).count("5.0k") == 6
    assert {"1,000", "500", "200", "100"} <= set(texts(root))
    curve = next(root.iter(f"{SVG}polyline")).attrib["points"].split()
    assert curve == [f"{each.attrib['cx']},{each.attrib['cy']}" for each in circles]


def test_bars_are_as_high_as_what_they_stand_for() -> None:
    root = drawing(growth("gateways", 6.0, 12.0))

    by_colour = {
        colour: [float(each.attrib["height"]) for each in root.iter(f"{SVG}rect")
                 if each.attrib["class"] == colour and "rx" not in each.attrib]
        for colour in ("c0", "c1", "c4")
    }  # fmt: skip
    first, second = by_colour["c0"]
    assert second == pytest.approx(2 * first, abs=0.2)
    assert by_colour["c1"] == pytest.approx([first, second], abs=0.11)
    assert by_colour["c4"][1] == pytest.approx(second / 4.5, abs=0.11)


def test_nothing_lies_outside() -> None:
    root = drawing(growth("bots", 6.0, 7.0, 20.0, 1.0, 90.0, 0.5))

    for each in root.iter(f"{SVG}text"):
        assert -880 < float(each.attrib["x"]) < 880
    for each in root.iter(f"{SVG}rect"):
        y, height = float(each.attrib["y"]), float(each.attrib["height"])
        assert 0 <= y <= y + height <= 360


@pytest.mark.parametrize("cpu", [6.0, 0.0])
def test_one_point_alone_is_in_the_middle(cpu: float) -> None:
    root = drawing(growth("gateways", cpu))

    (circle,) = root.iter(f"{SVG}circle")
    assert float(circle.attrib["cx"]) == (74 + 432) / 2


def test_processes_are_told_apart_and_the_rest_is_one() -> None:
    cpu = {"worker": 2.0, "redis": 1.0, "beat": 0.25, "prompt-worker": 0.25}

    assert costs_of({"cpu": cpu, "decisions": 1_000_000}) == {
        "worker": 2.0, "gateway": 0.0, "bots": 0.0, "Redis": 1.0, "others": 0.5,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.5, "0.5"), (41.66, "41.7"), (417, "417"), (999.6, "1.0k"), (2_417, "2.4k"),
     (19_530, "19.5k"), (112_345, "112k")],
)  # fmt: skip
def test_numbers_are_short(value: float, text: str) -> None:
    assert short(value) == text


@pytest.mark.parametrize(
    ("highest", "last", "step"),
    [(1, 0.8, 0.2), (93, 80, 20), (21_483, 20_000, 5_000), (500, 400, 100)],
)
def test_axes_have_few_round_numbers(highest: float, last: float, step: float) -> None:
    found = ticks(highest)

    assert found[0] == 0
    assert found[1] == pytest.approx(step)
    assert found[-1] <= highest < found[-1] + step * 1.001


@pytest.mark.parametrize(
    "made",
    [
        {},
        {"growth": [{"part": "seats", "points": []}]},
        {"growth": [{"part": "bots", "points": []}], "cores": 2},
        {"growth": [{"part": "bots", "points": [{"grown": 4}]}]},
        [],
    ],
)
def test_other_figures_are_refused(made: Any) -> None:
    with pytest.raises(InvalidRequest, match="not the figures that `arena bench growth --json`"):
        draw(made)
