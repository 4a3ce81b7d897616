"""A tournament watched in a real browser while its matches are played."""

import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, Request, expect

from arena.base.config import Settings
from arena.store import Store
from arena.store.registry import accounts
from arena.store.save import MatchResult
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from dashboard import create_app
from dashboard.events import view as events
from dashboard.events.topics import broadcaster
from tests.browser.served import served
from tests.browser.watch import OF_COLOURS, violations, watched
from tests.integration.people import HASHED, PASSWORD
from tests.made_results import entered, result, save, schedule

NAMES = ("ada", "bob", "cyd", "dan", "eve")

# Layout shifts, without those caused by clicks.
WATCH_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if (!entry.hadRecentInput)
      window.shifts.push([entry.value, entry.sources.map((s) => s.node && s.node.nodeName).join()]);
}).observe({ type: "layout-shift", buffered: true });
"""
HEIGHTS = """Object.fromEntries(Array.from(document.querySelectorAll("main section"),
  (part) => [part.innerText.split("\\n")[0], part.offsetHeight]))"""


@pytest.fixture
def store(sqlite_store: Store) -> Store:
    return sqlite_store


@pytest.fixture
def app(store: Store) -> Flask:
    return create_app(Settings(), store, None)


@pytest.fixture
def address(app: Flask) -> Iterator[str]:
    """The dashboard, served."""
    with served(app) as found:
        yield found


@pytest.fixture
def page(request: pytest.FixtureRequest, chromium: Browser, address: str) -> Iterator[Page]:
    """A watched page; the parameter is a permitted error status."""
    context = chromium.new_context(base_url=address)
    with closing(context), watched(context.new_page(), getattr(request, "param", 200)) as opened:
        yield opened


def running(store: Store) -> tuple[Tournament, list[MatchResult]]:
    """A running tournament, and results for it in which the last entrant is best."""
    tournament = entered(store, NAMES, deals=4)
    with store.write() as conn:
        tournaments.set_state(conn, tournament.id, "running")
    found = [
        result(tournament, planned, [10 - 2 * entrant for entrant in planned.seats])
        for planned in schedule(tournament)
    ]
    return tournament, found


def turned(tournament: Tournament, found: list[MatchResult]) -> list[MatchResult]:
    """Results for the rest of the schedule, in which the first entrant is best."""
    rest = schedule(tournament)[len(found) :]
    return [
        result(tournament, planned, [2 * entrant for entrant in planned.seats]) for planned in rest
    ]


def played(page: Page) -> Any:
    return page.locator("#live .numbers b")


def order(page: Page) -> list[str]:
    return page.locator(".standings tbody th a").all_inner_texts()


def test_page_shows_results_as_they_arrive_until_the_end(page: Page, store: Store) -> None:
    _, found = running(store)
    page.goto("/tournaments/1")
    expect(played(page)).to_have_text("0")

    save(store, found[:3])
    expect(played(page)).to_have_text("3")
    save(store, found[3:9])
    expect(played(page)).to_have_text("9")

    with store.write() as conn:
        tournaments.set_state(conn, 1, "finished")
    expect(page.locator(".state-line")).to_contain_text("finished")
    expect(page.locator("[data-live]")).to_have_count(0)


def test_nothing_jumps_while_it_is_watched(page: Page, store: Store) -> None:
    tournament, found = running(store)
    half = found[: len(found) // 2]
    save(store, half)
    page.goto("/tournaments/1")
    expect(played(page)).to_have_text(str(len(half)))
    page.wait_for_timeout(500)  # ignore the opening of the page
    heights = page.evaluate(HEIGHTS)
    page.evaluate(WATCH_SHIFTS)
    page.evaluate("window.shifts.length = 0")

    for first in range(0, 20, 5):
        save(store, turned(tournament, half)[first : first + 5])
        expect(played(page)).to_have_text(str(len(half) + first + 5))
    page.wait_for_timeout(3500)  # until the slower tables arrived, too

    shifts = page.evaluate("window.shifts")
    # Rows of the standings glide to new places and move nothing else.
    moved = [value for value, nodes in shifts if set(nodes.split(",")) - {"TR", "TD", "TH", "A"}]
    assert sum(moved) < 0.01, shifts
    assert page.evaluate(HEIGHTS) == heights


@pytest.mark.parametrize("path", ["/", "/tournaments", "/tournaments/1"])
def test_running_tournament_stays_readable(page: Page, store: Store, path: str) -> None:
    tournament, found = running(store)
    save(store, found[:12])
    page.emulate_media(reduced_motion="reduce")
    page.goto(path)

    save(store, turned(tournament, found[:12])[:24])

    expect(page.locator("main")).to_contain_text("36")  # without a reload
    light = violations(page)
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    assert (light, violations(page, *OF_COLOURS)) == ([], [])


def test_a_bot_that_gains_a_place_is_marked_for_a_while(page: Page, store: Store) -> None:
    tournament, found = running(store)
    few = found[:12]
    save(store, few)
    page.goto("/tournaments/1")
    before = order(page)

    save(store, turned(tournament, few))

    expect(page.locator("tr[data-moved=up]").first).to_be_visible()
    expect(page.locator("tr[data-moved=down]").first).to_be_visible()
    assert order(page) != before
    expect(page.locator("tr[data-moved]")).to_have_count(0, timeout=15_000)


def test_the_reader_keeps_a_selection(page: Page, store: Store) -> None:
    _, found = running(store)
    save(store, found[:6])
    page.goto("/tournaments/1")
    page.locator(".standings tbody th").first.evaluate(
        "cell => getSelection().selectAllChildren(cell)"
    )
    save(store, found[6:12])
    page.wait_for_timeout(2500)
    expect(played(page)).to_have_text("6")  # waits for the selection to end

    page.evaluate("getSelection().removeAllRanges()")
    expect(played(page)).to_have_text("12")


def test_a_table_stays_where_the_reader_scrolled_it(page: Page, store: Store) -> None:
    _, found = running(store)
    save(store, found[:6])
    page.set_viewport_size({"width": 360, "height": 700})
    page.goto("/tournaments/1/analysis")
    crosstable = page.locator(".scroll", has=page.locator(".matrix"))
    crosstable.evaluate("part => (part.scrollLeft = 30)")

    with page.expect_response(re.compile(r"/tables\?of=tables$")):
        save(store, found[6:12])
    page.wait_for_timeout(500)
    assert crosstable.evaluate("part => part.scrollLeft") == 30


def test_nothing_changes_under_the_keyboard(page: Page, store: Store) -> None:
    _, found = running(store)
    save(store, found[:6])
    page.goto("/tournaments/1")
    first = page.locator(".standings tbody th a").first
    page.locator("#live a").first.focus()
    while not first.evaluate("link => link === document.activeElement"):
        page.keyboard.press("Tab")
    name = first.inner_text()

    save(store, found[6:12])
    page.wait_for_timeout(2500)
    expect(played(page)).to_have_text("6")
    expect(first).to_be_focused()
    expect(first).to_have_text(name)

    page.locator("h1").click()  # the focus has left
    expect(played(page)).to_have_text("12")


def test_the_page_is_fetched_only_when_there_is_something_new(page: Page, store: Store) -> None:
    entered(store)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with page.expect_request(re.compile("/events")):
        page.goto("/tournaments/1")

    page.wait_for_timeout(2500)

    assert not [url for url in asked if url.endswith("/live")]


def test_page_opens_another_stream_after_the_browser_closed_it_silently(
    page: Page, store: Store
) -> None:
    _, found = running(store)
    page.add_init_script(
        """window.EventSource = class extends EventSource {
          constructor(address) { super(address); window.stream = this; }
        }"""
    )
    with page.expect_request("**/events?*"):
        page.goto("/tournaments/1")

    with page.expect_request("**/events?*"):
        page.evaluate("window.stream.close()")  # as Firefox does when a download starts
    save(store, found[:3])

    expect(played(page)).to_have_text("3")


@pytest.mark.parametrize("page", [503], indirect=True)
def test_page_without_a_stream_polls(
    page: Page, store: Store, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcaster(app), "_most", 0)
    _, found = running(store)
    page.goto("/tournaments/1")

    save(store, found[:3])

    expect(played(page)).to_have_text("3", timeout=15_000)


@pytest.mark.parametrize("page", [429], indirect=True)
def test_page_beyond_the_stream_limit_polls(
    page: Page, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "OF_ADDRESS", 0)
    _, found = running(store)
    page.goto("/tournaments/1")

    save(store, found[:3])

    expect(played(page)).to_have_text("3", timeout=15_000)


def test_many_pages_of_one_browser_share_few_streams_and_stay_current(
    chromium: Browser, address: str, store: Store, app: Flask
) -> None:
    _, found = running(store)
    with closing(chromium.new_context(base_url=address)) as context:
        pages = [context.new_page() for _ in range(8)]
        asked: set[Page] = set()  # for a stream

        def note(request: Request) -> None:
            if "/events" in request.url:
                asked.add(request.frame.page)

        context.on("request", note)
        for one in pages:
            one.goto("/tournaments/1")
        pages[0].wait_for_timeout(2500)
        assert 1 <= broadcaster(app).listeners <= 3

        save(store, found[:3])

        for one in pages:
            expect(played(one)).to_have_text("3", timeout=15_000)
        assert broadcaster(app).listeners <= 3

        # When a page with a stream closes, another page takes over.
        gone = [one for one in pages if one in asked]
        left = [one for one in pages if one not in asked]
        for one in gone:
            one.close()
        for _ in range(150):
            if any(one in asked for one in left):
                break
            left[0].wait_for_timeout(100)
        assert any(one in asked for one in left)
        save(store, found[3:9])
        for one in left:
            expect(played(one)).to_have_text("9", timeout=15_000)


def test_background_page_has_no_stream(page: Page, store: Store, app: Flask) -> None:
    entered(store)
    page.goto("/tournaments/1")
    expect(page.locator("#live")).to_be_visible()
    page.wait_for_function("performance.getEntriesByType('resource').length > 0")

    page.goto("/rules")

    def gone() -> bool:
        return broadcaster(app).listeners == 0

    for _ in range(150):
        if gone():
            break
        page.wait_for_timeout(100)
    assert gone()


def open_form(page: Page, store: Store) -> None:
    """Opens the form for a tournament as an organiser."""
    entered(store)
    with store.write() as conn:
        accounts.sign_up(conn, "olga", HASHED, organiser=True)
    page.goto("/sign-in")
    page.get_by_label("Name").fill("olga")
    page.get_by_label("Password").fill(PASSWORD)
    page.locator("main button[type=submit]").click()
    page.goto("/tournaments/new")


def test_the_preview_follows_a_form_that_the_browser_fills_in_again(
    page: Page, store: Store
) -> None:
    open_form(page, store)
    page.get_by_role("radio", name="Swiss").check()
    page.get_by_role("button", name="All shown").click()
    expect(page.locator("#preview")).to_contain_text("4 rounds")

    page.goto("/ratings")
    page.go_back()

    expect(page.get_by_role("radio", name="Swiss")).to_be_checked()
    expect(page.locator("#preview")).to_contain_text("4 rounds")


def test_the_preview_follows_the_form_and_a_tournament_is_refused_with_reasons(
    page: Page, store: Store
) -> None:
    open_form(page, store)

    page.get_by_role("radio", name="Swiss").check()
    page.get_by_label("Search bots").fill("a")
    page.get_by_role("button", name="All shown").click()
    page.get_by_label("Search bots").fill("")
    page.locator("input[value=bob]").check()
    page.locator("input[value=eve]").check()
    expect(page.locator("#preview")).to_contain_text("3 rounds of 1 table")
    page.get_by_label("Matches per table").fill("many")
    expect(page.locator("#wrong-table_matches")).to_contain_text("enter a whole number")
    expect(page.get_by_label("Matches per table")).to_have_value("many")
    expect(page.get_by_label("Matches per table")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Matches per table").fill("8")
    expect(page.locator("#wrong-table_matches")).to_be_hidden()
    expect(page.get_by_label("Matches per table")).not_to_have_attribute("aria-invalid", "true")
    expect(page.locator("#preview")).to_contain_text("24 matches")
