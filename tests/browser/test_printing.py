"""Printed pages are light, complete, and without navigation and controls."""

import re
from collections.abc import Mapping

import pytest
from playwright.sync_api import ViewportSize

from tests.browser.conftest import Open

A4 = ViewportSize(width=718, height=1047)  # with margins of a centimetre
WHITE, INK = "rgb(255, 255, 255)", "rgb(26, 35, 31)"
PAGES = (
    "/tournaments/{lama-tournament}",
    "/tournaments/{lama-tournament}/analysis",
    "/tournaments/{knockout}",
    "/ratings",
    "/matches/{kadabra}",
    "/matches/{reviewed}/replay",
    "/bots/{widest}",
    "/rules/kadabra",
    "/docs/bots",
)

# What is printed although it only works on a screen.
CONTROLS = """[...document.querySelectorAll(
    "header.top, .tabs, button:not(.chart-legend button), select, input, footer, .deck .steps")]
  .filter((one) => one.checkVisibility()).map((one) => one.outerHTML.slice(0, 160))"""

# Regions that would have to be scrolled.
CUT = """[...document.querySelectorAll("main *")].filter((one) => {
  const { overflowX, overflowY } = getComputedStyle(one);
  return (/auto|scroll/.test(overflowX) && one.scrollWidth > one.clientWidth + 1)
    || (/auto|scroll/.test(overflowY) && one.scrollHeight > one.clientHeight + 1);
}).map((one) => one.outerHTML.slice(0, 160))"""


@pytest.mark.parametrize("path", PAGES)
def test_page_prints_light_and_whole_without_controls(
    open_page: Open, places: Mapping[str, str], path: str
) -> None:
    with open_page(color_scheme="dark", viewport=A4) as page:
        page.goto(path.format(**places))
        page.get_by_role("button", name="Dark", exact=True).click()
        page.emulate_media(media="print")
        paper, ink = page.evaluate(
            "[getComputedStyle(document.documentElement).backgroundColor,"
            " getComputedStyle(document.body).color]"
        )

        assert (paper, ink) == (WHITE, INK)
        assert page.evaluate(CONTROLS) == []
        assert page.evaluate(CUT) == []


def test_charts_are_printed_with_the_light_theme_and_get_theirs_back(
    open_page: Open, places: Mapping[str, str]
) -> None:
    with open_page(color_scheme="dark") as page:
        page.goto(f"/tournaments/{places['lama-tournament']}/analysis")
        page.get_by_role("button", name="Dark", exact=True).click()
        chart = page.locator(".chart-plot canvas")
        chart.wait_for()
        drawn = "document.querySelector('.chart-plot canvas').toDataURL()"
        dark = page.evaluate(drawn)
        legend = page.locator(".chart-legend").inner_text()
        # At once, because Firefox does not wait.
        light = page.evaluate(f"(dispatchEvent(new Event('beforeprint')), {drawn})")
        printed = page.evaluate(drawn)
        page.evaluate("dispatchEvent(new Event('afterprint'))")

        assert printed != dark
        assert light == printed
        assert page.evaluate(drawn) == dark
        assert page.locator(".chart-legend").inner_text() == legend
        assert re.search(r"\d", legend)
        assert page.locator("html").get_attribute("data-theme") == "dark"
