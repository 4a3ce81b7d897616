"""A bot's page and the leaderboard in a real browser: charts, search, local times."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.base.config import Settings
from arena.store import upgrade_store
from dashboard import create_app
from tests.browser.served import served
from tests.browser.watch import watched
from tests.integration.played import play, register

NAMES = ("ada", "bob", "cyd", "dan")
Opened = Callable[..., AbstractContextManager[Page]]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A dashboard with a tournament of four bots."""
    file: Path = tmp_path_factory.mktemp("bots") / "arena.db"
    store = upgrade_store(f"sqlite:///{file}")
    register(store, *NAMES)
    play(store, *NAMES, seats=3, deals=4)
    with served(create_app(Settings(), store, None)) as address:
        yield address
    store.dispose()


@pytest.fixture
def opened(chromium: Browser, address: str) -> Opened:
    """Opens a watched page."""

    @contextmanager
    def opening(path: str, **options: Any) -> Iterator[Page]:
        context = chromium.new_context(base_url=address, **options)
        with closing(context), watched(context.new_page()) as page:
            page.goto(path)
            yield page

    return opening


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_history_chart_fills_the_width(opened: Opened, scheme: str) -> None:
    with opened("/bots/ada", color_scheme=scheme, viewport={"width": 1200, "height": 900}) as page:
        drawn = page.locator(".chart canvas")
        expect(drawn).to_be_visible()
        wide = drawn.evaluate("canvas => canvas.clientWidth")

        page.set_viewport_size({"width": 360, "height": 800})

        page.wait_for_function(
            "wide => document.querySelector('.chart canvas').clientWidth < wide / 2", arg=wide
        )
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_leaderboard_rows_fit_a_phone(opened: Opened) -> None:
    with opened("/bots/ada/analysis", viewport={"width": 360, "height": 740}) as page:
        table = page.locator("section[aria-labelledby=ratings] .scroll")

        assert table.evaluate("one => one.scrollWidth - one.clientWidth") <= 0


@pytest.mark.parametrize("path", ["/", "/ratings", "/tournaments", "/bots"])
def test_no_column_of_a_list_is_cut(opened: Opened, path: str) -> None:
    with opened(path) as page:
        tables = page.locator(".scroll:has(table)")
        for width in (360, 768, 1440):
            page.set_viewport_size({"width": width, "height": 900})

            cut = tables.evaluate_all("all => all.map((one) => one.scrollWidth - one.clientWidth)")
            assert cut
            assert max(cut) <= 0


def test_name_with_avatar_shares_the_baseline_of_its_row(opened: Opened) -> None:
    with opened("/bots") as page:
        middles = [
            box["y"] + box["height"] / 2
            for part in (".faced .bot", ".link")
            if (box := page.locator(f"tbody tr:first-child {part}").bounding_box())
        ]

        assert middles[0] == pytest.approx(middles[1], abs=2)


def test_height_of_a_chart_is_reserved_before_drawing(opened: Opened) -> None:
    with opened("/bots/ada") as page:
        expect(page.locator(".chart canvas")).to_be_visible()
        drawn = page.locator(".chart-plot").bounding_box()
    with opened("/bots/ada", java_script_enabled=False) as page:
        still = page.locator(".chart-plot svg").bounding_box()

    assert drawn is not None
    assert still is not None
    assert still["height"] == pytest.approx(drawn["height"], abs=1)


def test_chart_describes_the_point_under_the_pointer_with_its_band(opened: Opened) -> None:
    with opened("/bots/ada") as page:
        told = page.locator(".chart-reading")
        expect(told).to_have_text(re.compile(r"Match 36: Elo \d{4} \(\d{4} to \d{4}\)"))

        page.locator(".chart-plot").hover(position={"x": 300, "y": 80})

        expect(told).not_to_have_text(re.compile("Match 36:"))
        expect(told).to_have_text(re.compile(r"Match \d+: Elo \d+ \(\d+ to \d+\)"))


def test_colours_follow_the_readers_scheme(opened: Opened) -> None:
    drawn = """colour => {
      const canvas = document.querySelector(".chart canvas");
      // Of a copy: Chromium warns where a canvas that is shown is read again and again.
      const { width, height } = canvas;
      const often = { willReadFrequently: true };
      const copy = new OffscreenCanvas(width, height).getContext("2d", often);
      copy.drawImage(canvas, 0, 0);
      const dots = copy.getImageData(0, 0, width, height).data;
      for (let i = 0; i < dots.length; i += 4) {
        const like = colour.every((part, at) => Math.abs(part - dots[i + at]) < 12);
        if (like && dots[i + 3] > 180) return true;
      }
      return false;
    }"""
    with opened("/bots/ada", color_scheme="light") as page:
        expect(page.locator(".chart canvas")).to_be_visible()
        page.wait_for_function(drawn, arg=[29, 106, 84])

        page.emulate_media(color_scheme="dark")

        page.wait_for_function(drawn, arg=[116, 205, 172])


def test_table_is_searched_while_typing(opened: Opened) -> None:
    with opened("/ratings?sort=elo") as page:
        rows = page.locator("table.ratings tbody tr")
        expect(rows).to_have_count(4)

        page.get_by_label("Find a bot").press_sequentially("da")

        expect(rows).to_have_count(2)  # ada, dan
        expect(page.get_by_label("Find a bot")).to_be_focused()
        expect(page).to_have_url(re.compile("find=da"))
        expect(page).to_have_url(re.compile("sort=elo"))
        page.reload()
        expect(rows).to_have_count(2)


def test_the_search_works_without_javascript(opened: Opened) -> None:
    with opened("/ratings", java_script_enabled=False) as page:
        page.get_by_label("Find a bot").fill("cyd")
        page.get_by_role("button", name="Find").click()

        expect(page.locator("table.ratings tbody tr")).to_have_count(1)


def test_times_are_in_the_readers_zone(opened: Opened) -> None:
    options = {"timezone_id": "Asia/Kolkata"}
    with opened("/matches", **options) as page:
        match = page.get_by_role("link", name="Score sheet").first.get_attribute("href")
    with opened(str(match), java_script_enabled=False) as page:
        time = page.locator("time[data-form=moment]").first
        expect(time).to_have_text(re.compile(r"^1 Jan 1970, 00:\d\d UTC$"))
        minute = int(time.inner_text()[-6:-4])
    with opened(str(match), **options) as page:
        time = page.locator("time[data-form=moment]").first
        expect(time).to_have_text(f"1 Jan 1970, 05:{30 + minute}")
        expect(time).to_have_attribute("title", re.compile(r"\(1970-01-01 00:\d\d:\d\d UTC\)$"))


def test_results_fit_a_phone(opened: Opened) -> None:
    with opened("/matches", viewport={"width": 360, "height": 740}) as page:
        page.get_by_role("link", name="Score sheet").first.click()
        table = page.locator("section[aria-labelledby=result] .scroll")

        expect(table.locator("tbody tr")).to_have_count(3)
        assert table.evaluate("one => one.scrollWidth - one.clientWidth") <= 0
