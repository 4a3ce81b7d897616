"""A first visit: the home page, its links, and content to share."""

import re
from collections.abc import Mapping

import pytest
from playwright.sync_api import Page, Response, expect

from tests.browser.conftest import Open

LIGHT = 100_000  # bytes of a page, compressed
FIRST_VISIT = 200_000  # with its styles, scripts and data


def test_home_page_explains_the_arena_and_leads_to_submitting_playing_and_watching(
    open_page: Open,
) -> None:
    with open_page(viewport={"width": 1280, "height": 720}, reduced_motion="reduce") as page:
        for button, leads_to in (
            ("Bring a bot", r"/sdk$"),
            ("Play", r"/play$"),
            ("Watch", r"/matches/\w+/replay(\?.*)?$"),
        ):
            page.goto("/")
            expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
            expect(page.get_by_role("heading", level=1)).to_contain_text("Bots play L.A.M.A.")
            expect(page.locator(".showcase .seat").first).to_be_in_viewport()
            page.locator(".calls").get_by_role("link", name=button, exact=True).click()
            expect(page).to_have_url(re.compile(leads_to))


def test_home_page_shows_the_leaders_and_no_numbers_of_processes(
    open_page: Open,
) -> None:
    with open_page() as page:
        page.goto("/")
        for title in ("Leaders", "Latest results", "Tournaments", "Online now"):
            expect(page.get_by_role("heading", name=re.compile(title))).to_be_visible()
        expect(page.locator(".leaders .face").first).to_be_visible()
        expect(page.get_by_text("Workers")).to_have_count(0)
        heights = page.locator(".stories .result .bot").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect().height)"
        )
        assert min(heights) >= 24  # large enough to press

        page.get_by_role("link", name="Arena status").last.click()
        expect(page.locator("dt", has_text=re.compile("^Bots connected$"))).to_be_visible()
        expect(page.get_by_text("Workers")).to_have_count(0)


def test_ratings_start_with_a_summary_in_plain_words(open_page: Open) -> None:
    with open_page() as page:
        page.goto("/ratings?game=lama")
        takeaway = page.locator(".takeaways li").first
        expect(takeaway).to_have_text(re.compile(r"stronger|told apart"))
        number = page.locator(".ratings tbody tr").first.locator(".strong")
        expect(number).to_contain_text(re.compile(r"\d+ ± \d+"))

        page.get_by_role("link", name="How many more matches it takes").click()
        expect(page).to_have_url(re.compile(r"/help/ratings#"))


def test_a_page_is_shared_as_a_card_a_feed_and_a_frame(
    open_page: Open, places: Mapping[str, str]
) -> None:
    with open_page() as page:
        page.goto(f"/matches/{places['versus-match']}/replay")
        head = page.locator("head")
        for what in ("og:title", "og:description", "og:url"):
            assert head.locator(f'meta[property="{what}"]').get_attribute("content")
        card = head.locator('meta[property="og:image"]').get_attribute("content")
        assert card
        picture = page.request.get(card)
        assert picture.headers["content-type"] == "image/png"

        feed = head.locator('link[type="application/atom+xml"]').first.get_attribute("href")
        assert feed
        assert page.request.get(feed).text().count("<entry>") > 0

        page.locator("#embed summary").click()
        line = page.locator("#embed code").inner_text()
        (framed,) = re.findall(r'src="([^"]+)"', line)
        page.goto(framed)
        expect(page.locator(".seat").first).to_be_visible()


def test_a_knockout_is_a_bracket_and_a_date_goes_into_a_calendar(
    open_page: Open, places: Mapping[str, str]
) -> None:
    with open_page() as page:
        page.goto(f"/tournaments/{places['knockout']}")
        expect(page.locator(".bracket h3")).to_have_text(["Round 1", "Final"])
        final = page.locator(".bracket > li").last
        expect(final.locator(".won .face")).to_be_visible()
        expect(final.locator(".won")).to_contain_text("winner")

        page.goto(f"/tournaments/{places['open']}")
        expect(page.locator("[data-until]").first).to_have_text(re.compile("^in |h|min"))
        calendar = page.get_by_role("link", name="Add to calendar").get_attribute("href")
        assert calendar
        assert "BEGIN:VEVENT" in page.request.get(calendar).text()


def test_a_bot_page_starts_with_strength_and_leads_to_the_matches_of_two_rivals(
    open_page: Open,
) -> None:
    with open_page() as page:
        page.goto("/bots")
        page.locator("main").get_by_role("link", name="ann", exact=True).first.click()
        rivals = page.get_by_role("region", name=re.compile("^Rivals"))
        for title in ("Rating", "How they play", "Best wins"):
            expect(page.get_by_role("region", name=re.compile(f"^{title}"))).to_be_visible()
        expect(page.get_by_role("heading", name="Connection")).to_have_count(0)

        rival = rivals.locator("tbody th a").first
        name = rival.evaluate("link => link.firstChild.data")
        rival.click()
        duel = page.locator("section", has=page.locator("#two"))
        expect(duel).to_contain_text(name)
        duel.get_by_role("link", name="list").click()
        line = page.locator(".match").first
        expect(line).to_contain_text("ann")
        expect(line).to_contain_text(name)


def test_rules_are_pictures_and_details_are_a_link_away(open_page: Open) -> None:
    with open_page() as page:
        page.goto("/rules")
        for title in ("LAMA Dice", "LLAMA Kadabra"):
            game = page.locator(".lessons", has=page.get_by_role("heading", name=title))
            game.locator("summary").click()
            expect(game.locator(".picture .card").first).to_be_visible()
        expect(page.locator("main")).not_to_contain_text(re.compile("byte|notation"))
        page.get_by_role("link", name="All rules of LLAMA Kadabra").click()
        expect(page).to_have_url(re.compile("/rules/kadabra$"))


def test_tabs_of_a_tournament_have_addresses(open_page: Open, places: Mapping[str, str]) -> None:
    with open_page() as page:
        page.goto(f"/tournaments/{places['lama-tournament']}")
        expect(page.locator("#live section h2").first).to_have_text("Standings")
        tabs = page.get_by_role("navigation", name="Tournament")
        for title, path in (("Matches", "matches"), ("Analysis", "analysis"), ("Terms", "terms")):
            tabs.get_by_role("link", name=title).click()
            expect(page).to_have_url(re.compile(f"/{path}$"))
            expect(tabs.locator("[aria-current=page]")).to_have_text(title)


@pytest.mark.parametrize("path", ["/", "/tournaments/{lama-tournament}", "/matches/{lama}/replay"])
def test_a_first_visit_moves_little(open_page: Open, places: Mapping[str, str], path: str) -> None:
    with open_page() as page:
        answers: list[Response] = []
        page.on("response", lambda answer: answers.append(answer))
        page.goto(path.format(**places))
        settled(page)

        sizes = [
            answer.request.sizes()["responseBodySize"]
            for answer in answers
            if "/events" not in answer.url
        ]
        if path != "/matches/{lama}/replay":  # has a CSRF token, so it is not compressed
            assert answers[0].headers["content-encoding"] == "gzip"
        assert 0 < sizes[0] < LIGHT
        assert sum(sizes) < FIRST_VISIT, sizes


def settled(page: Page) -> None:
    """Waits for the page's resources, except streams, which never end."""
    page.wait_for_load_state("load")
    page.wait_for_timeout(1500)
