"""Every page is readable and operable at every width, in both themes, without errors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from arena.base.config import Settings
from arena.store import upgrade_store
from dashboard import create_app
from tests.browser.visits import VISITS, Visit, is_page, tells_names, uses_large_screens
from tests.browser.watch import OF_COLOURS, violations, watched, wider_than_the_screen

# Names of options and fields, and ids of rules.
RAW = re.compile(r"\b(?:(?!lama_arena)[a-z]+_[a-z_]+|Elo[01]|(?:COM|LAMA|PARTY|DICE|KAD)-\d+)\b")

# Odd phrases that must not return.
ODD = re.compile(
    r"Nothing was played here|That cannot be answered|That is not yours"
    r"|\b(?:Make|Change|Enter) it\b|What everybody sees|What it would be"
    r"|Carry on|not asked yet|played 0 to 0"
)
LIGHT = 100_000  # bytes of a page, compressed

every_page = pytest.mark.parametrize("visit", VISITS, ids=str)


def show(page: Page, visit: Visit, places: Mapping[str, str]) -> int:
    """Opens the page and waits for its charts. Returns the size of its body as sent."""
    answer = page.goto(visit.address(places))
    assert answer
    assert answer.status == visit.status
    page.wait_for_function(DRAWN)
    return answer.request.sizes()["responseBodySize"]


def test_every_page_is_visited(tmp_path: Path) -> None:
    store = upgrade_store(f"sqlite:///{tmp_path / 'arena.db'}")
    rules = create_app(Settings(), store, None).url_map.iter_rules()
    store.dispose()

    assert {rule.endpoint for rule in rules if is_page(rule)} == {
        visit.endpoint for visit in VISITS if visit.endpoint != "no page"
    }


@every_page
def test_page_is_readable_and_operable_on_every_screen(
    windows: dict[str, BrowserContext], places: dict[str, str], visit: Visit
) -> None:
    with watched(windows[visit.who].new_page(), visit.status) as page:
        page.set_viewport_size({"width": 360, "height": 740})
        page.emulate_media(reduced_motion="reduce")
        sent = show(page, visit, places)
        skips_to_the_content(page)
        too_wide = wider_than_the_screen(page)
        unreachable = violations(page, "scrollable-region-focusable")
        page.set_viewport_size({"width": 1280, "height": 720})
        light = violations(page)
        page.emulate_media(color_scheme="dark")
        dark = violations(page, *OF_COLOURS)
        page.set_viewport_size({"width": 2560, "height": 1300})
        too_wide += wider_than_the_screen(page)
        width = page.evaluate("document.querySelector('main').clientWidth")
        unseen = page.evaluate(NOT_SEEN_WHEN_FOCUSED)
        text = page.locator("body").inner_text()
        raw = [] if tells_names(visit) else RAW.findall(text)

    assert (too_wide, unreachable, light, dark, unseen) == ([], [], [], [], [])
    assert (raw, ODD.findall(text)) == ([], [])
    assert sent < LIGHT
    assert (width > 1800) == uses_large_screens(visit), width


def skips_to_the_content(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    expect(page.locator(".skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


# The data of all charts has arrived.
DRAWN = """() => {
  const come = performance.getEntriesByType("resource").filter((one) => one.responseEnd);
  const charts = [...document.querySelectorAll("figure.chart[data-src]")];
  return charts.every((one) => come.some((entry) => entry.name.endsWith(one.dataset.src)));
}"""

# Controls that cannot be focused, or do not show the focus.
NOT_SEEN_WHEN_FOCUSED = """() => {
  const operable =
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]";
  const found = [];
  for (const one of document.querySelectorAll(operable)) {
    if (one.disabled || !one.checkVisibility() || one.matches("main, [tabindex='-1']")) continue;
    one.focus({ focusVisible: true, preventScroll: true });
    const look = getComputedStyle(one);
    const seen = look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 2;
    if (document.activeElement !== one || !seen) found.push(one.outerHTML.slice(0, 160));
  }
  return found;
}"""
