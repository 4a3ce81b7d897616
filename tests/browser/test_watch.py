"""The featured match: it plays by itself, the same for all spectators, until paused."""

import re
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
import redis
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from arena.base.config import Settings
from arena.service.live import spectators
from arena.service.live.connect import connect
from arena.store import upgrade_store
from arena.store.tournaments.tournaments import Tournament
from dashboard import create_app
from tests.browser.served import served
from tests.browser.test_table import SHIFTS, shifted
from tests.browser.watch import slow_down, violations, watched, wider_than_the_screen
from tests.integration.played import play, register
from tests.integration.worker_world import FakeGateway, World
from tests.servers import redis_server

NAMES = ("ada", "bob", "cyd")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    store = upgrade_store(f"sqlite:///{tmp_path_factory.mktemp('watch') / 'arena.db'}")
    with redis_server() as url, connect(url) as client:
        yield World(store, client)
    store.dispose()


@pytest.fixture(scope="module")
def stored(world: World) -> Tournament:
    """A finished tournament."""
    register(world.store, *NAMES)
    return play(world.store, *NAMES, seats=3)


@pytest.fixture(scope="module")
def address(world: World) -> Iterator[str]:
    with served(create_app(Settings(secret_key="for tests"), world.store, world.client)) as found:
        yield found


def window(chromium: Browser, address: str, calm: bool = False, **more: Any) -> BrowserContext:
    motion: Any = "reduce" if calm else "no-preference"
    opened = chromium.new_context(base_url=address, reduced_motion=motion, **more)
    opened.add_init_script(SHIFTS)
    return opened


def moves_on(page: Page) -> None:
    said = page.locator("#said")
    before = said.text_content() or ""
    expect(said).not_to_have_text(before, timeout=15_000)


def test_stored_match_plays_by_itself_the_same_for_all_spectators(
    chromium: Browser, address: str, stored: Tournament
) -> None:
    with closing(window(chromium, address)) as here, closing(window(chromium, address)) as there:
        pages = [here.new_page(), there.new_page()]
        for page in pages:
            page.goto(f"/tournaments/{stored.id}/watch")
            expect(page.locator("#said")).to_have_text(re.compile(r"^(Move|End)"))
        moves_on(pages[0])

        ids = {page.locator("#programme").get_attribute("data-match") for page in pages}
        texts = [page.locator("#said").text_content() or "" for page in pages]

        assert len(ids) == 1
        moves = [int(found[1]) for text in texts if (found := re.match(r"Move (\d+)", text))]
        assert max(moves, default=0) - min(moves, default=0) <= 3


def test_it_can_be_paused_and_is_accessible(
    chromium: Browser, address: str, stored: Tournament
) -> None:
    with closing(window(chromium, address)) as opened, watched(opened.new_page()) as page:
        page.goto(f"/tournaments/{stored.id}/watch")
        moves_on(page)
        page.get_by_role("button", name="Pause").click()
        page.wait_for_timeout(1000)
        before = page.locator("#said").text_content()
        page.wait_for_timeout(3500)

        assert page.locator("#said").text_content() == before
        assert violations(page) == []
        assert shifted(page) < 0.02
        page.get_by_role("button", name="Resume").click()
        moves_on(page)


def test_featured_match_starts_paused_with_reduced_motion(
    chromium: Browser, address: str, stored: Tournament
) -> None:
    with closing(window(chromium, address, calm=True)) as opened:
        page = opened.new_page()
        page.goto(f"/tournaments/{stored.id}/watch")

        expect(page.get_by_role("button", name="Resume")).to_be_visible()


def test_table_is_shown_without_javascript(
    chromium: Browser, address: str, stored: Tournament
) -> None:
    with closing(chromium.new_context(base_url=address, java_script_enabled=False)) as opened:
        page = opened.new_page()
        page.goto(f"/tournaments/{stored.id}/watch")

        expect(page.locator(".seat")).to_have_count(3)
        expect(page.locator("#said")).to_have_text(re.compile(r"^(Move|End)"))


def test_without_javascript_a_tournament_has_a_link_to_its_table(
    chromium: Browser, address: str, stored: Tournament
) -> None:
    with closing(chromium.new_context(base_url=address, java_script_enabled=False)) as opened:
        page = opened.new_page()
        page.goto(f"/tournaments/{stored.id}")

        page.get_by_role("link", name="Watch", exact=True).click()
        expect(page.locator(".seat")).to_have_count(3)


def test_it_fits_every_window(chromium: Browser, address: str, stored: Tournament) -> None:
    with closing(window(chromium, address)) as opened:
        page = opened.new_page()
        page.goto(f"/tournaments/{stored.id}/watch")
        for width in (360, 768, 1440, 2560):
            page.set_viewport_size({"width": width, "height": 900})
            expect(page.locator(".seat .card").first).to_be_visible()

            assert wider_than_the_screen(page) == []


def test_the_first_page_plays_a_match(chromium: Browser, address: str, stored: Tournament) -> None:
    with closing(window(chromium, address)) as opened, watched(opened.new_page()) as page:
        slow_down(page)
        page.goto("/")
        expect(page.locator(".moment-match")).to_be_visible()  # the result
        expect(page.locator("#said")).to_have_text(re.compile(r"^Move"), timeout=20_000)

        moves_on(page)

        assert shifted(page) < 0.02


def test_a_match_in_play_is_shown_round_by_round_and_hands_are_face_down(
    chromium: Browser, address: str, world: World
) -> None:
    names = ("eve", "fay", "gus")
    tournament = world.tournament(names, cycles=4, options={"max_rounds": "30"})
    with FakeGateway(world.client) as gateway:
        gateway.connect(*tournament.players)
        world.queue(tournament)
        run = world.shared_run()
        for _ in range(40):
            world.step(run)
        spectators.watch(world.client, [tournament.id])
        run.spectators.look(run.runs, 1e9)
        alive = KeptAlive(world.client, tournament.id)
        with (
            alive,
            closing(window(chromium, address)) as opened,
            watched(opened.new_page()) as page,
        ):
            page.route("**/watch", faster)
            page.goto(f"/tournaments/{tournament.id}/watch")
            expect(page.locator("#programme")).to_contain_text("one round behind", timeout=20_000)
            moves_on(page)
            assert page.evaluate(FACE_DOWN)

            expect(page.locator(".wall > li").first).to_contain_text("scored")
            expect(page.locator("#places tbody tr")).to_have_count(len(names))
            scored = page.locator("#score-of-match tbody tr")
            before = scored.count()
            expect(scored).to_have_count(before + 1, timeout=30_000)
            expect(scored.last.locator("td")).to_have_text(
                page.locator(".board .holds b").all_text_contents()
            )
            assert violations(page) == []


FACE_DOWN = """() => {
  const cards = [...document.querySelectorAll(".board .hand-line .card")];
  return cards.length && cards.every(card => card.matches(".back"));
}"""


def faster(route: Route) -> None:
    """Plays the featured match several times as fast."""
    answer = route.fetch()
    route.fulfill(response=answer, body=answer.text().replace('data-pace="1.4"', 'data-pace="0.4"'))


class KeptAlive:
    """Keeps published matches during a test, even on a slow machine."""

    def __init__(self, client: redis.Redis, tournament: int) -> None:
        self._client, self._tournament = client, tournament
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(1.0):
            spectators.keep(self._client, self._tournament)
