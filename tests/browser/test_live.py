"""A tournament watched in a real browser while its matches are played."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from werkzeug.serving import make_server

from arena.config import Settings
from arena.store import Store, open_store, tournaments
from arena.store.results import MatchResult
from arena.store.tournaments import Tournament
from dashboard import create_app
from dashboard.events.part import broadcaster
from tests.made_results import entered, result, save, schedule

BEATEN = ("ada", "bob", "cyd", "dan", "eve")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = open_store(f"sqlite:///{tmp_path / 'arena.db'}")
    yield made
    made.dispose()


@pytest.fixture
def address(store: Store) -> Iterator[str]:
    """The dashboard, served."""
    app = create_app(Settings(), store, None)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    broadcaster(app).stop()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def page(chromium: Browser, address: str) -> Iterator[Page]:
    """A page that must not say anything on its console."""
    complaints: list[str] = []
    context = chromium.new_context(base_url=address)
    opened = context.new_page()
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    yield opened
    context.close()
    assert complaints == []


def running(store: Store) -> tuple[Tournament, list[MatchResult]]:
    """A tournament under way, and results in which the last entrant is best, once they come."""
    tournament = entered(store, BEATEN, deals=4)
    with store.write() as conn:
        tournaments.set_state(conn, tournament.id, "running")
    results = [
        result(tournament, planned, [10 - 2 * entrant for entrant in planned.seats])
        for planned in schedule(tournament)
    ]
    return tournament, results


def played(page: Page) -> Any:
    return page.locator("#live .numbers b")


def test_what_is_played_is_shown_as_it_comes(page: Page, store: Store) -> None:
    _, results = running(store)
    page.goto("/tournaments/1")
    expect(played(page)).to_have_text("0")

    save(store, results[:3])
    expect(played(page)).to_have_text("3")
    save(store, results[3:9])
    expect(played(page)).to_have_text("9")

    with store.write() as conn:
        tournaments.set_state(conn, 1, "finished")
    expect(page.locator(".state-line")).to_have_text("finished")
    expect(page.locator("[data-live]")).to_have_count(0)


def test_the_page_is_fetched_only_when_there_is_something_new(page: Page, store: Store) -> None:
    entered(store)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with page.expect_request(re.compile("/events")):
        page.goto("/tournaments/1")
    page.wait_for_timeout(2500)
    assert not [url for url in asked if url.endswith("/live")]
