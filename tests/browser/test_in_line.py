"""A tournament that waits for a worker shows its place in the queue."""

import re
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from arena.base.config import Settings
from arena.service.live import ready
from arena.service.live.connect import connect
from arena.store import upgrade_store
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from dashboard import create_app
from tests.browser.served import served
from tests.browser.watch import violations, watched
from tests.integration.played import register
from tests.made_results import entered
from tests.servers import redis_server

NAMES = ("ann", "bob", "cho")


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[tuple[str, list[Tournament]]]:
    """A dashboard and several running tournaments, of which the first is being played."""
    store = upgrade_store(f"sqlite:///{tmp_path / 'arena.db'}")
    register(store, *NAMES)
    made = [entered(store, names=NAMES) for _ in range(3)]
    with store.write() as conn:
        for each in made:
            tournaments.set_state(conn, each.id, "running", now=time.time() - 60)
    with redis_server() as url, connect(url) as client:
        for each in made:
            ready.add(client, each.id, [0], matches=4)
        ready.claim(client, "run", 30, room=1)
        ready.note_queued(client, time.time() - 40)
        with served(create_app(Settings(secret_key="for tests"), store, client)) as address:
            yield address, made
    store.dispose()


def test_queued_tournament_shows_its_place_and_waiting_time(
    chromium: Browser, queue: tuple[str, list[Tournament]]
) -> None:
    address, (playing, ahead, last) = queue
    size = {"width": 360, "height": 740}
    context = chromium.new_context(base_url=address, viewport=size, reduced_motion="reduce")  # type: ignore[arg-type]
    with closing(context), watched(context.new_page()) as page:
        page.goto("/tournaments")
        states = page.locator("tbody .state")
        expect(states).to_have_text(["queued", "queued", "running"])

        page.get_by_role("link", name=last.spec.name).first.click()
        expect(page.locator(".state-line")).to_contain_text("queued")
        expect(page.locator(".in-line")).to_contain_text(
            f"Second in line, behind {ahead.spec.name}"
        )
        expect(page.locator("#live dl")).to_contain_text(re.compile(r"Queued\s*4\d s"))
        assert violations(page) == []

        page.goto(f"/tournaments/{playing.id}")
        expect(page.locator(".state-line")).to_contain_text("running")
        expect(page.locator(".in-line")).to_have_count(0)
