"""In a real browser, an organiser opens a tournament, an author enters, and it starts."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.base.config import Settings
from arena.service.live.connect import connect
from arena.store import Store, upgrade_store
from arena.store.registry import accounts, bots
from arena.store.tournaments import tournaments
from dashboard import create_app
from tests.browser.served import served, sign_in
from tests.browser.watch import violations, watched
from tests.integration.people import HASHED, PASSWORD
from tests.servers import redis_server
from workers.advancing import advance as advancing

WIDEST = "W" * 40


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An organiser with a bot, and an author with another."""
    store = upgrade_store(f"sqlite:///{tmp_path / 'arena.db'}")
    with store.write() as conn:
        olga = accounts.sign_up(conn, "olga", HASHED, organiser=True)
        ada = accounts.sign_up(conn, "ada", HASHED)
        bots.register(conn, "oak", owner=olga.id)
        bots.register(conn, WIDEST, owner=ada.id)
    yield store
    store.dispose()


@pytest.fixture
def redis_url() -> Iterator[str]:
    with redis_server() as url:
        yield url


@pytest.fixture
def address(store: Store, redis_url: str) -> Iterator[str]:
    """The dashboard of a running arena."""
    settings = Settings(secret_key="key of the tests", redis_url=redis_url)
    with (
        connect(redis_url) as client,
        served(create_app(settings, store, client)) as found,
    ):
        yield found


@contextmanager
def person(chromium: Browser, address: str, name: str, width: int) -> Iterator[Page]:
    """A watched page of a signed-in user."""
    size = {"width": width, "height": 800}
    context = chromium.new_context(
        base_url=address,
        reduced_motion="reduce",
        viewport=size,  # type: ignore[arg-type]
        timezone_id="Asia/Kolkata",
    )
    with closing(context), watched(context.new_page()) as page:
        sign_in(page, name, PASSWORD)
        yield page


def press(page: Page, button: str) -> None:
    page.get_by_role("button", name=button, exact=True).click()


def test_from_opening_a_tournament_to_its_start(
    chromium: Browser, address: str, store: Store, redis_url: str
) -> None:
    with ExitStack() as stack:
        olga = stack.enter_context(person(chromium, address, "olga", 1440))
        ada = stack.enter_context(person(chromium, address, "ada", 360))
        starts = time.time() // 60 * 60 + 7200
        opens_it(olga, starts)
        enters_it(ada, starts)
        announces(olga, ada)
        begins_it(olga, store, redis_url)

        ada.reload()
        expect(ada.locator(".state-line")).to_contain_text("running")
        expect(ada.get_by_role("button", name="Enter bot")).to_have_count(0)
        expect(ada.get_by_role("table", name="Standings of Open cup")).to_contain_text(WIDEST)
        sees_the_series(ada, starts)
        ends_it(olga)


def in_kolkata(unix: float) -> str:
    """A time as the pages show it to readers in India."""
    at = datetime.fromtimestamp(unix, ZoneInfo("Asia/Kolkata"))
    return f"{at.day} {at:%b %Y, %H:%M}".replace("Sep ", "Sept ")  # as browsers shorten it


def with_utc(unix: float) -> str:
    """A time at which readers in India want to be there."""
    here, utc = (datetime.fromtimestamp(unix, zone) for zone in (ZoneInfo("Asia/Kolkata"), UTC))
    day = "" if here.day == utc.day else f"{utc.day} {utc:%b}, ".replace("Sep,", "Sept,")
    return f"{in_kolkata(unix)} ({day}{utc:%H:%M} UTC)"


def opens_it(olga: Page, starts: float) -> None:
    olga.goto("/tournaments/new")
    olga.locator("#field-seats").fill("2")
    olga.get_by_role("checkbox", name="oak").check()
    olga.locator("#field-starts_at").fill(f"{datetime.fromtimestamp(starts, UTC):%Y-%m-%dT%H:%M}")
    expect(olga.get_by_text(f"{in_kolkata(starts)} in your time zone.")).to_be_visible()
    olga.get_by_role("checkbox", name="Open for sign-up").check()
    olga.get_by_label("Places for bots").fill("3")
    olga.get_by_text("Repeat it as a series").click()
    olga.get_by_label("Repeat every").select_option("week")
    olga.get_by_label("Time zone").fill("Asia/Kolkata")
    until = datetime.fromtimestamp(starts + 20 * 86_400, ZoneInfo("Asia/Kolkata"))
    olga.get_by_label("Last day").fill(f"{until:%Y-%m-%d}")
    olga.locator("#field-start_grace_s").fill("0")
    olga.locator("#field-name").fill("Open cup")
    expect(olga.locator("#preview .large")).to_contain_text("Open for sign-up: 3 places")
    expect(olga.locator("#preview time")).to_have_text(with_utc(starts))
    assert violations(olga) == []
    press(olga, "Create tournament")
    expect(olga.get_by_role("heading", level=1)).to_have_text("Open cup")


def enters_it(ada: Page, starts: float) -> None:
    """Enters, withdraws, and enters again, in a narrow window."""
    ada.goto("/tournaments")
    ada.get_by_role("link", name="Open cup").first.click()
    expect(ada.locator("#live")).to_contain_text("2 places left")
    expect(ada.locator("#live .pace time")).to_have_text(with_utc(starts))
    press(ada, "Enter bot")
    expect(ada.locator("#live .entered")).to_contain_text(WIDEST)
    assert violations(ada) == []
    assert ada.evaluate("document.documentElement.scrollWidth") <= 360
    assert ada.locator("header.top").evaluate("top => top.offsetHeight") < 90  # two rows
    press(ada, "Withdraw bot")
    expect(ada.locator("#live .entered")).not_to_contain_text(WIDEST)
    press(ada, "Enter bot")
    expect(ada.locator("#live")).to_contain_text("1 place left")
    expect(ada.locator("#live .pace time")).to_have_text(with_utc(starts))


def sees_the_series(ada: Page, starts: float) -> None:
    """The next tournament has the bot, a week later."""
    ada.get_by_role("link", name="series of tournaments").click()
    following = ada.get_by_role("listitem").filter(has_text="Open cup 2")
    expect(following.locator("time")).to_have_text(with_utc(starts + 7 * 86_400))
    following.get_by_role("link").click()
    expect(ada.locator("#live .entered")).to_contain_text(WIDEST)


def ends_it(olga: Page) -> None:
    olga.goto("/series/1")
    assert violations(olga) == []
    press(olga, "End the series")
    expect(olga.get_by_role("button", name="End the series")).to_have_count(0)
    expect(olga.get_by_role("listitem").filter(has_text="Open cup 2")).to_be_visible()


def announces(olga: Page, ada: Page) -> None:
    """An announcement reaches the author, and the author's answer the organiser."""
    olga.get_by_role("link", name="Discussion").click()
    olga.get_by_label("Your post").fill("Please connect by 18:00.\n\nPrizes: none.")
    olga.get_by_role("checkbox", name="Announcement").check()
    press(olga, "Post")
    ada.reload()
    expect(ada.get_by_role("region", name="Announcements")).to_contain_text("Prizes: none.")
    ada.get_by_role("link", name="Discussion").click()
    ada.get_by_label("Your post").fill("We will.")
    press(ada, "Post")
    assert violations(ada) == []
    olga.reload()
    expect(olga.get_by_role("article").first).to_contain_text("We will.")
    for page in (olga, ada):
        page.get_by_role("link", name="Standings").click()


def begins_it(olga: Page, store: Store, redis_url: str) -> None:
    """Starts early; a worker then advances the tournament."""
    expect(olga.locator("#live .entered")).to_contain_text(WIDEST)  # without a reload
    olga.get_by_role("link", name="Start now").click()
    press(olga, "Start tournament")
    with store.read() as conn:
        (made,) = tournaments.all_tournaments(conn)
    with connect(redis_url) as client:
        assert advancing.advance(store, client, made.id)


def test_a_class_signs_up_by_a_link(chromium: Browser, address: str) -> None:
    with person(chromium, address, "olga", 1440) as olga:
        olga.goto("/tournaments")
        olga.get_by_role("link", name="Invite people").click()
        olga.get_by_label("Title").fill("Class 3b")
        olga.get_by_label("Names").fill("nia")
        assert violations(olga) == []
        press(olga, "Invite")
        link = olga.locator(".digest").inner_text()
        with closing(chromium.new_context(viewport={"width": 360, "height": 740})) as context:
            nia = context.new_page()
            nia.goto(link)
            expect(nia.get_by_role("heading", level=1)).to_have_text("Join Class 3b")
            expect(nia.get_by_label("Name", exact=True)).to_have_value("nia")
            assert violations(nia) == []
            nia.get_by_label("Password").fill(PASSWORD)
            press(nia, "Sign up")
            expect(nia).to_have_url(f"{address}/my/bots")
        olga.reload()
        expect(olga.get_by_role("article")).to_contain_text("nia: no bot yet")
