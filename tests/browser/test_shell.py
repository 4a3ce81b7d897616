"""Shared parts of all pages in the browser: keys, themes, search, marking of stale pages."""

import re
from itertools import pairwise

from playwright.sync_api import Route, expect

from tests.browser.conftest import Open
from tests.browser.watch import violations, wider_than_the_screen

AXIS = """() => {
  const boxes = [...document.querySelectorAll(".axis text")].filter((one) => one.checkVisibility())
    .map((one) => one.getBoundingClientRect()).sort((a, b) => a.left - b.left);
  return boxes.slice(1).filter((box, at) => box.left < boxes[at].right).length;
}"""


def test_keys_list_themselves_search_and_lead_to_pages(open_page: Open) -> None:
    with open_page() as page:
        page.goto("/rules")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        assert violations(page) == []
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)

        page.keyboard.press("/")
        expect(page.locator("#search-box")).to_be_focused()
        page.keyboard.type("sharp")
        page.keyboard.press("Enter")
        page.wait_for_url("**/search?q=sharp")
        expect(page.locator("main").get_by_role("link", name="sharp")).to_be_visible()

        page.keyboard.press("g")
        page.keyboard.press("r")
        page.wait_for_url("**/ratings")


def test_search_suggests_while_typing_and_is_used_by_keyboard(open_page: Open) -> None:
    with open_page() as page:
        page.goto("/rules")
        box, options = page.locator("#search-box"), page.get_by_role("option")
        box.press_sequentially("shar")
        expect(options.first).to_contain_text("sharp")
        expect(box).to_have_attribute("aria-expanded", "true")
        assert violations(page) == []

        page.keyboard.press("Escape")
        expect(options).to_have_count(0)
        expect(box).to_be_focused()
        box.press_sequentially("p")
        expect(options.first).to_be_visible()
        page.keyboard.press("ArrowDown")
        chosen = str(options.first.get_attribute("id"))
        expect(box).to_have_attribute("aria-activedescendant", chosen)
        page.keyboard.press("Enter")
        page.wait_for_url("**/bots/sharp")


def test_disabled_keys_do_nothing(open_page: Open) -> None:
    with open_page() as page:
        page.goto("/rules")
        page.get_by_role("button", name="Keyboard shortcuts").click()
        page.get_by_label("Use single-key shortcuts").uncheck()
        page.keyboard.press("Escape")

        page.reload()
        page.keyboard.press("?")
        page.keyboard.press("/")

        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.locator("#search-box")).not_to_be_focused()


def test_head_is_one_line_for_any_account_name(open_page: Open) -> None:
    with open_page("owner") as page:
        page.goto("/rules")
        page.evaluate(f"document.querySelector('.account bdi').textContent = '{'W' * 40}'")

        for width in (993, 1200, 1440):
            page.set_viewport_size({"width": width, "height": 700})
            assert wider_than_the_screen(page) == []
            head, search = (page.locator(one).bounding_box() for one in (".top", "#search-box"))
            assert head
            assert head["height"] < 60
            assert search
            assert search["width"] > 80


def test_theme_changes_at_once_and_applies_before_any_script(open_page: Open) -> None:
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    with open_page(color_scheme="light") as page:
        page.goto("/rules")
        light = page.evaluate(paper)
        page.get_by_role("button", name="Dark").click()
        dark = page.evaluate(paper)
        assert light != dark
        expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")

        page.route("**/*.js", lambda route: route.abort("aborted"))
        page.reload()

        assert page.evaluate(paper) == dark


def test_without_scripts_the_theme_is_a_form(open_page: Open) -> None:
    with open_page(java_script_enabled=False) as page:
        page.goto("/rules")
        page.get_by_role("button", name="Dark").click()

        page.wait_for_url("**/rules")
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_live_parts_look_stale_while_the_dashboard_is_unreachable(open_page: Open) -> None:
    def cut(route: Route) -> None:
        route.abort("aborted")

    with open_page() as page:
        page.goto("/bots")
        page.route("**/livez", cut)
        page.evaluate("window.dispatchEvent(new Event('offline'))")

        told = page.locator("#lost")
        expect(told).to_contain_text(re.compile(r"cannot be reached.* at \d\d:\d\d:\d\d"))
        expect(page.locator("#live")).to_have_class(re.compile("stale"))
        assert violations(page) == []

        page.unroute("**/livez", cut)
        expect(told).to_be_hidden()
        expect(page.locator("#live")).not_to_have_class(re.compile("stale"))


def test_page_without_live_parts_notices_an_outage_and_its_end(
    open_page: Open,
) -> None:
    def away(route: Route) -> None:
        route.fulfill(status=502)  # like a proxy

    with open_page(expected=502) as page:
        page.clock.install()
        page.goto("/rules")
        page.evaluate("console.error = () => {}")  # htmx logs the status there
        expect(page.locator("[data-live]")).to_have_count(0)
        for path in ("**/status/outage", "**/livez"):
            page.route(path, away)
        page.clock.run_for(25_000)
        expect(page.locator("#lost")).to_contain_text("cannot be reached")

        for path in ("**/status/outage", "**/livez"):
            page.unroute(path, away)
        page.clock.run_for(2_000)
        expect(page.locator("#lost")).to_be_hidden()


def test_found_bots_are_counted_in_the_same_live_region(open_page: Open) -> None:
    with open_page() as page:
        page.goto("/ratings")
        status = page.locator("#table [role=status]")
        status.evaluate("it => { window.region = it; }")
        page.get_by_label("Find a bot").press_sequentially("ann")

        expect(status).to_have_text(re.compile(r"^1 of \d+ bots$"))
        assert page.evaluate("window.region.isConnected")  # a new one would not be announced


def test_progress_is_visible_with_forced_colours(open_page: Open, places: dict[str, str]) -> None:
    with open_page(forced_colors="active") as page:
        page.goto(f"/tournaments/{places['resumed']}")
        expect(page.locator("progress").first).to_have_css("border-style", "solid")
        expect(page.get_by_role("status").filter(has_text="Tournament")).to_have_text(
            re.compile("Tournament waiting")
        )


def test_live_parts_look_stale_while_the_frame_shows_an_outage(open_page: Open) -> None:
    outline = "() => getComputedStyle(document.querySelector('#live')).outlineStyle"
    with open_page() as page:
        page.goto("/bots")
        assert page.evaluate(outline) == "none"
        page.evaluate("document.querySelector('#outage').hidden = false")
        assert page.evaluate(outline) == "dashed"


def test_labels_of_the_rating_axis_do_not_overlap(open_page: Open) -> None:
    with open_page() as page:
        page.goto("/ratings")
        for width in (360, 768, 1024, 1440, 2560):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(AXIS) == 0, width


def test_phone_navigation_is_one_row_and_shows_the_current_page(open_page: Open) -> None:
    with open_page(viewport={"width": 360, "height": 740}) as page:
        for path, name in (("/play", "Play"), ("/rules", "Rules"), ("/sdk", "Write a bot")):
            page.goto(path)
            current = page.locator(".top nav:not(.account) [aria-current]")
            expect(current).to_have_text(name)
            expect(current).to_be_in_viewport(ratio=1)
            tops = page.locator(".top nav:not(.account) a").evaluate_all(
                "all => [...new Set(all.map((one) => one.getBoundingClientRect().top))]"
            )
            assert len(tops) == 1


def test_links_below_a_heading_have_large_targets_however_they_wrap(open_page: Open) -> None:
    with open_page(viewport={"width": 320, "height": 700}) as page:
        page.goto("/sdk/go")
        links = page.locator(".summary a")
        page.locator(".summary").evaluate("it => it.style.width = '8rem'")
        tops = links.evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")

        assert len(tops) > 2
        assert min(below - above for above, below in pairwise(tops)) >= 24  # WCAG 2.5.8
