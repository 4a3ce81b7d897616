"""Every page is readable and operable at every width, in both themes, without errors."""

import re
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from arena.base.config import Settings
from arena.store import upgrade_store
from dashboard import create_app
from tests.browser.filled import SCRIPT
from tests.browser.visits import VISITS, Visit, is_long, is_page, tells_names, uses_large_screens
from tests.browser.watch import (
    OF_COLOURS,
    OPERABLE,
    hard_to_operate,
    violations,
    watched,
    wider_than_the_screen,
)

# Names of options and fields, and ids of rules.
RAW = re.compile(r"\b(?:(?!lama_arena)[a-z]+_[a-z_]+|Elo[01]|(?:COM|LAMA|PARTY|DICE|KAD)-\d+)\b")

# Odd phrases that must not return.
ODD = re.compile(
    r"Nothing was played here|That cannot be answered|That is not yours"
    r"|\b(?:Make|Change|Enter) it\b|What everybody sees|What it would be"
    r"|Carry on|not asked yet|played 0 to 0"
)
PHONE, DESKTOP = ViewportSize(width=360, height=740), ViewportSize(width=2560, height=720)
TABLET, LAPTOP = ViewportSize(width=768, height=1024), ViewportSize(width=1440, height=900)
LIGHT = 100_000  # bytes of a page, compressed

every_page = pytest.mark.parametrize("visit", VISITS, ids=str)


def show(page: Page, visit: Visit, places: Mapping[str, str]) -> int:
    """Opens the page and waits for its charts. Returns the size of its body as sent."""
    answer = page.goto(visit.address(places))
    assert answer
    assert answer.status == visit.status
    page.evaluate(DRAWN)
    return answer.request.sizes()["responseBodySize"]


def test_every_page_is_visited(tmp_path: Path) -> None:
    store = upgrade_store(f"sqlite:///{tmp_path / 'arena.db'}")
    rules = create_app(Settings(), store, None).url_map.iter_rules()
    store.dispose()

    assert {rule.endpoint for rule in rules if is_page(rule)} == {
        visit.endpoint for visit in VISITS if visit.endpoint != "no page"
    }


# Forms need a token against requests of other sites (`layout/forms.html`), except for the theme.
WITHOUT_TOKEN = """[...document.forms]
  .filter((form) => form.method === "post" && !form.elements.csrf_token)
  .map((form) => new URL(form.action).pathname).filter((path) => path !== "/theme")"""

# Names of links and buttons that lead to different places or do different things. Names of bots
# in breadcrumbs lead to another page of the bot, and tournaments may have equal names. Matches may
# have equal bots and points; their entries in the list differ.
ALIKE = """() => {
  const seen = new Map();
  const others = "nav *, .crumb *, .explained, .matches *, [href^='/matches/']";
  const operable = `main :is(a[href], button, summary):not(${others})`;
  for (const one of document.querySelectorAll(operable)) {
    if (!one.checkVisibility({ visibilityProperty: true })) continue;
    const name = (one.ariaLabel || one.innerText).replace(/\\s+/g, " ").trim();
    const fields = one.form ? [...new FormData(one.form), [one.name, one.value]] : [];
    const does = one.href || (one.form
      ? JSON.stringify([one.formAction, fields.filter(([key]) => key !== "csrf_token")])
      : Math.random());
    seen.set(name, (seen.get(name) || new Set()).add(does));
  }
  return [...seen].filter(([, does]) => does.size > 1).map(([name]) => name);
}"""


@every_page
def test_page_is_readable_and_operable_on_every_screen(
    pages: dict[str, Page], places: dict[str, str], visit: Visit
) -> None:
    with watched(pages[visit.who], visit.status) as page:
        page.set_viewport_size(PHONE)
        page.emulate_media(reduced_motion="reduce", color_scheme="light")
        sent = show(page, visit, places)
        skips_to_the_content(page)
        too_wide, light = wider_than_the_screen(page), hard_to_operate(page)
        for size in (TABLET, LAPTOP):
            page.set_viewport_size(size)
            too_wide += wider_than_the_screen(page)
            light += hard_to_operate(page)
        height = page.evaluate("document.documentElement.scrollHeight")
        page.set_viewport_size(DESKTOP)
        light += violations(page)
        page.emulate_media(color_scheme="dark")
        dark = violations(page, *OF_COLOURS)
        too_wide += wider_than_the_screen(page)
        width = page.evaluate("document.querySelector('main').clientWidth")
        unseen = page.evaluate(NOT_SEEN_WHEN_FOCUSED, OPERABLE)
        unsigned = page.evaluate(WITHOUT_TOKEN)
        alike = [name for name in page.evaluate(ALIKE) if SCRIPT not in name]
        text = page.evaluate("document.body.innerText")
        raw = [] if tells_names(visit) else RAW.findall(text)

    assert (too_wide, light, dark, unseen, unsigned, alike) == ([], [], [], [], [], [])
    assert (raw, ODD.findall(text)) == ([], [])
    assert sent < LIGHT
    assert height <= 2_000 or is_long(visit)
    assert (width > 1800) == uses_large_screens(visit), width


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
def test_connected_bot_with_a_long_name_fits_the_home_page(
    pages: dict[str, Page], size: ViewportSize
) -> None:
    with watched(pages[""]) as page:
        page.set_viewport_size(size)
        page.goto("/")
        page.locator(".who .bot").first.evaluate("link => { link.textContent = 'M'.repeat(40); }")

        assert wider_than_the_screen(page) == []


def test_checks_find_faults(chromium: Browser) -> None:
    """Also faults of one width or one theme."""
    with closing(chromium.new_page(color_scheme="light", viewport=PHONE)) as page:
        page.set_content('<main><a href="#a">Details</a> <a href="#b">Details</a></main>')
        assert page.evaluate(ALIKE) == ["Details"]
        page.set_content(FAULTY)
        assert wider_than_the_screen(page) != []
        assert found(hard_to_operate(page)) == {"target-size", "scrollable-region-focusable"}
        page.set_viewport_size(DESKTOP)
        assert wider_than_the_screen(page) == []
        assert {"label", "target-size"} < found(violations(page))
        assert found(violations(page, *OF_COLOURS)) == {"link-in-text-block"}
        page.emulate_media(color_scheme="dark")
        assert found(violations(page, *OF_COLOURS)) == {"color-contrast"}


def found(told: list[str]) -> set[str]:
    """The rules that were violated."""
    return {one.partition(":")[0] for one in told}


FAULTY = """<!doctype html><html lang="en"><title>Faulty</title><style>
  @media (max-width: 400px) { .wide { width: 500px; } }
  @media (prefers-color-scheme: dark) {
    html { background: #111; color: #eee; } .dim { color: #333; }
  }
  .low { height: 30px; overflow: auto; } a { color: #c00; text-decoration: none; }
</style><main><h1>Faulty</h1><p class="wide">Wide on a phone</p><p class="dim">Dim in the dark</p>
<div class="low"><p>One</p><p>Two</p><p>Three</p></div><input>
<p>Text with <a href="#here" style="color: #222">a hidden link</a> in it</p>
<button style="width: 9px; height: 9px; padding: 0">a</button
><button style="width: 9px; height: 9px; padding: 0">b</button></main>"""


def skips_to_the_content(page: Page) -> None:
    if page.evaluate("document.activeElement.matches('.form-problem')"):
        page.locator(".skip").focus()  # the page starts at its problem
    else:
        page.keyboard.press("Tab")
    top, bottom = page.evaluate(FOCUSED, ".skip")
    assert 0 <= top < bottom <= PHONE["height"]
    page.keyboard.press("Enter")
    page.evaluate(FOCUSED, "main")


# These scripts wait by themselves, because locators load another large script into each page.

# Waits for the data of all charts.
DRAWN = """async () => {
  const come = () => performance.getEntriesByType("resource").filter((one) => one.responseEnd);
  const charts = [...document.querySelectorAll("figure.chart[data-src]")];
  while (!charts.every((one) => come().some((entry) => entry.name.endsWith(one.dataset.src))))
    await new Promise(requestAnimationFrame);
}"""

# Waits until this element is focused; its edges.
FOCUSED = """async (wanted) => {
  while (!document.activeElement.matches(wanted)) await new Promise(requestAnimationFrame);
  const box = document.activeElement.getBoundingClientRect();
  return [box.top, box.bottom];
}"""

# Controls that cannot be focused, or do not show the focus.
NOT_SEEN_WHEN_FOCUSED = """(operable) => {
  const found = [];
  for (const one of document.querySelectorAll(`${operable}, [tabindex]`)) {
    if (one.disabled || !one.checkVisibility() || one.matches("main, [tabindex='-1']")) continue;
    one.focus({ focusVisible: true, preventScroll: true });
    const look = getComputedStyle(one);
    const seen = look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 2;
    if (document.activeElement !== one || !seen) found.push(one.outerHTML.slice(0, 160));
  }
  return found;
}"""
