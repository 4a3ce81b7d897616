"""The Elo chart of a tournament: lines are distinct, and outliers do not squeeze the others."""

import json
from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Open

LIKE_OTHERS, FAR_OFF = 1500.0, 2600.0

# Records texts drawn on canvases.
NOTED = """
window.noted = [];
const write = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
  window.noted.push(String(text));
  return write.call(this, text, ...more);
};
"""

# Styles of the lines in a legend.
SAMPLES = """all => all.map((one) => {
  return [getComputedStyle(one).stroke, one.getAttribute("stroke-dasharray")].join();
})"""


def show_race(page: Page, places: Mapping[str, str], *, far_off: bool) -> list[str]:
    """Opens a tournament of close bots, the last one optionally `far_off`. Returns their names,
    best first."""
    address = f"/tournaments/{places['lama-tournament']}"
    names: list[str] = []

    def answer(route: Route) -> None:
        told: dict[str, Any] = route.fetch().json()
        names[:] = told["points"][-1]["elo"]
        for number, point in enumerate(told["points"]):
            for place, name in enumerate(point["elo"]):
                point["elo"][name] = LIKE_OTHERS - 10 * place + number % 3
                if far_off and name == names[-1]:
                    point["elo"][name] = FAR_OFF
        route.fulfill(body=json.dumps(told), content_type="application/json")

    page.add_init_script(NOTED)
    page.route(f"**/api{address}/race", answer)
    page.goto(f"{address}/analysis")
    expect(page.locator("[data-src$='/race'] .chart-legend li").first).to_be_visible()
    return names


def words(page: Page) -> list[str]:
    found: list[str] = page.evaluate("window.noted")
    return found


def ticks(page: Page) -> list[int]:
    return [int(word) for word in words(page) if word.isdigit() and int(word) > 1000]


def test_outlier_is_cut_off_and_labelled(open_page: Open, places: Mapping[str, str]) -> None:
    with open_page() as page:
        names = show_race(page, places, far_off=True)

        assert f"{names[-1]} 2600 ▲" in words(page)
        assert max(ticks(page)) < LIKE_OTHERS + 100


def test_close_lines_are_not_cut_off(open_page: Open, places: Mapping[str, str]) -> None:
    with open_page() as page:
        show_race(page, places, far_off=False)

        assert not [word for word in words(page) if word.endswith(("▲", "▼"))]


def test_the_legend_is_in_the_order_of_ranks_and_each_line_has_a_colour(
    open_page: Open, places: Mapping[str, str]
) -> None:
    with open_page() as page:
        names = show_race(page, places, far_off=False)

        legend = page.locator("[data-src$='/race'] .chart-legend li")
        expect(legend).to_have_count(len(names))
        for place, name in enumerate(names):
            expect(legend.nth(place)).to_contain_text(name)
        samples = page.locator("[data-src$='/race'] .chart-legend svg path")
        assert len(set(samples.evaluate_all(SAMPLES))) == len(names)
