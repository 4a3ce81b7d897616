"""Without JavaScript, pages are readable and forms work."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.arena import Arena
from tests.browser.conftest import Open
from tests.browser.visits import VISITS

PASSWORD = "a few quiet words"
# One evaluation, because locators load a large script into each page.
TOLD = """() => {
  const parts = [...document.querySelectorAll("main section")];
  return [
    document.querySelector("h1").innerText,
    document.querySelector("main").innerText,
    parts.filter((part) => part.checkVisibility() && !part.innerText).map((part) => part.outerHTML),
  ];
}"""
READ = {visit.endpoint: visit for visit in VISITS if not visit.who and visit.status == 200}.values()


@pytest.fixture
def page(chromium: Browser, arena: Arena) -> Iterator[Page]:
    context = chromium.new_context(base_url=arena.dashboard, java_script_enabled=False)
    yield context.new_page()
    context.close()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_all_pages_have_their_text_without_a_script(page: Page, places: dict[str, str]) -> None:
    for visit in READ:
        page.goto(visit.address(places))
        heading, text, empty = page.evaluate(TOLD)

        assert heading
        assert len(text) > 80
        assert empty == []


def test_visitor_signs_up_and_creates_a_bot(page: Page) -> None:
    page.goto("/sign-up")
    page.get_by_label("Name").fill("not a name")
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Sign up")
    expect(page.get_by_role("alert")).to_contain_text("not a valid account name")
    expect(page.get_by_role("alert")).to_be_focused()
    page.get_by_label("Name").fill("quiet")
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Sign up")
    expect(page.get_by_role("heading", name="My bots")).to_be_visible()

    page.get_by_role("link", name="New bot").click()
    page.get_by_label("Name").fill("quiet-bot")
    press(page, "Create bot")

    expect(page.get_by_role("region", name="Token", exact=True)).to_contain_text("lama_")
    page.reload()
    expect(page.get_by_role("status").first).to_contain_text("was shown once")
    press(page, "Create new token")
    expect(page.get_by_role("region", name="Token", exact=True)).to_contain_text("lama_")


def test_organiser_previews_a_tournament(open_page: Open) -> None:
    with open_page("organiser", java_script_enabled=False) as page:
        page.goto("/tournaments/new")
        page.locator("#field-seats").fill("2")
        for name in ("five", "sharp"):
            page.locator(f"input[name=bots][value={name}]").check()
        press(page, "Preview")

        expect(page.locator("#preview .large").first).to_contain_text("40 matches")


def test_a_move_is_played(page: Page) -> None:
    page.goto("/play")
    press(page, "Start")
    page.wait_for_url("**/play/*")
    expect(page.locator(".act").first).to_be_visible(timeout=30_000)
    expect(page.locator(".act kbd").first).to_be_hidden()  # no key works
    asked = page.locator("input[name=ticket]").get_attribute("value")

    page.locator(".act").first.click()

    # The page refreshes itself until the player's next turn.
    turn = page.locator(f".playing[data-turn=mine] input[name=ticket]:not([value='{asked}'])")
    expect(turn.or_(page.locator(".playing[data-turn=over]"))).to_have_count(1, timeout=30_000)
    expect(page.locator(".events")).to_contain_text(re.compile(r"\w"))


def test_daily_deal_is_played_once_and_ranked(open_page: Open) -> None:
    with open_page("organiser", java_script_enabled=False) as page:
        page.goto("/play/daily")
        press(page, "Play today\N{RIGHT SINGLE QUOTATION MARK}s deal")
        page.wait_for_url(re.compile(r"/play/\d+$"))
        over = page.locator(".playing[data-turn=over]")
        while not over.count():
            turn = page.locator(".playing[data-turn=mine] .act").last  # quits the round if possible
            expect(turn.or_(over)).to_be_visible(timeout=30_000)
            if not over.count():
                turn.click()

        page.get_by_role("link", name="Ranking of the day").click()

        expect(page.locator("main")).to_contain_text("You are 1st of 1 with")
        expect(page.get_by_role("row").filter(has_text="You")).to_have_count(1)
        expect(page.locator("button", has_text="Play today")).to_have_count(0)
