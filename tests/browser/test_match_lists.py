"""Finding a match: the list is filtered, and leads to the replay."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.watch import slow_down, wider_than_the_screen


def test_a_visitor_finds_a_close_match_of_a_bot_and_watches_it(open_page: Open) -> None:
    with open_page() as page:
        page.goto("/matches")
        page.locator("select[name=bot]").select_option("ann")
        page.locator("select[name=game]").select_option("LAMA Dice")
        page.get_by_role("button", name="Show").click()

        lines = page.locator(".match")
        expect(lines.first).to_contain_text("LAMA Dice")
        expect(lines.first.locator(".own .bot")).to_have_text("ann")
        expect(lines.first.locator(".place")).to_have_text(re.compile(r"^(won|shared|\d\w\w)$"))
        expect(lines.first.locator(".face")).to_have_count(3)
        everyone = lines.count()

        page.locator("select[name=margin]").select_option("up to 5 points")
        page.get_by_role("button", name="Show").click()
        expect(page.locator("select[name=bot]")).to_have_value("ann")
        assert 0 < lines.count() < everyone

        lines.first.get_by_role("link", name="Analyse").click()
        expect(page.locator("#review")).to_be_in_viewport()
        page.go_back()
        lines.first.get_by_role("link", name="Watch").click()
        expect(page).to_have_url(re.compile(r"/matches/\w+/replay\?move=1$"))


def test_further_filters_are_folded_until_they_are_used(open_page: Open) -> None:
    with open_page(java_script_enabled=False) as page:
        page.goto("/matches")
        expect(page.get_by_label("From")).to_be_hidden()
        page.get_by_text("More filters").click()
        page.locator("select[name=fault]").select_option("timeout")
        page.get_by_role("button", name="Show").click()

        expect(page.locator("select[name=fault]")).to_be_visible()
        expect(page.get_by_text("No matches found with these filters.")).to_be_visible()
        page.get_by_role("link", name="Clear filters").click()
        expect(page.locator(".match").first).to_be_visible()


def test_actions_of_a_match_share_a_row_on_wide_screens(open_page: Open) -> None:
    with open_page(viewport={"width": 1280, "height": 720}) as page:
        page.goto("/matches")
        line = page.locator(".match", has=page.get_by_role("link", name="Analyse")).first
        tops = [box["y"] for link in line.locator(".go a").all() if (box := link.bounding_box())]

        assert len(tops) == 3
        assert len(set(tops)) == 1


def test_clearing_filters_is_next_to_applying_them(open_page: Open) -> None:
    with open_page() as page:
        page.goto("/matches?bot=ann")
        for width in (360, 768, 1440, 2560):
            page.set_viewport_size({"width": width, "height": 800})
            show = page.get_by_role("button", name="Show").bounding_box()
            clear = page.get_by_role("link", name="Clear filters").bounding_box()

            assert show
            assert clear
            assert clear["x"] > show["x"] + show["width"]
            assert show["y"] < clear["y"] + clear["height"] / 2 < show["y"] + show["height"]
            assert wider_than_the_screen(page) == []


def test_nothing_jumps_when_the_list_opens(open_page: Open) -> None:
    with open_page() as page:
        slow_down(page)
        page.goto("/matches")
        expect(page.locator(".match").first).to_be_visible()
        page.wait_for_load_state("networkidle")
        shifts = page.evaluate(SHIFTS)
        assert sum(value for value, *_ in shifts) < 0.02, shifts


# Layout shifts so far: the size, and what moved.
SHIFTS = """() => new Promise((done) => {
  const shifts = [];
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
    const moved = entry.sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? node?.nodeName);
    shifts.push([entry.value, Math.round(entry.startTime), ...moved]);
  })).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(shifts), 200);
})"""
