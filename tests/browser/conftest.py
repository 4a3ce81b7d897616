"""One browser for all tests, with separate windows for each test."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, StorageState, expect, sync_playwright

from arena.service.live import keys
from arena.service.live.connect import connect
from tests.browser.arena import Arena, arena_up
from tests.browser.chromium import launch
from tests.browser.filled import ORGANISER, OWNER
from tests.browser.served import sign_in
from tests.browser.watch import LEARNED, watched
from tests.integration.people import PASSWORD

# Generous, because a busy machine is slow.
expect.set_options(timeout=20_000)


# Not session-scoped: while Playwright runs, other tests in the process cannot run an event loop.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as tools:
        _, browser = launch(tools.chromium)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def arena() -> Iterator[Arena]:
    """A running arena with content on every page, shared by all tests."""
    with arena_up() as running:
        yield running


@pytest.fixture(scope="package")
def signed_in(chromium: Browser, arena: Arena) -> dict[str, StorageState | None]:
    """Cookies by visitor; "" has none."""
    return {
        "": None,
        "owner": cookies_of(chromium, arena, OWNER),
        "organiser": cookies_of(chromium, arena, ORGANISER),
    }


def cookies_of(chromium: Browser, arena: Arena, name: str) -> StorageState:
    """The cookies of a signed-in user."""
    context = chromium.new_context(base_url=arena.dashboard)
    page = context.new_page()
    sign_in(page, name, PASSWORD)
    cookies = context.storage_state()
    context.close()
    return cookies


@pytest.fixture(scope="package")
def places(
    chromium: Browser, arena: Arena, signed_in: dict[str, StorageState | None]
) -> dict[str, str]:
    """Parts of URLs, including the number of a game of the owner and the code of a table
    that the owner opened."""
    context = chromium.new_context(base_url=arena.dashboard, storage_state=signed_in["owner"])
    page = context.new_page()
    page.goto("/play")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/play/*")
    table = page.url.rpartition("/")[2]
    page.goto("/play/tables")
    page.get_by_role("button", name="Open the table").click()
    page.wait_for_url("**/play/tables/*")
    friends = page.url.rpartition("/")[2]
    context.close()
    with connect(json.loads((arena.data / "arena.json").read_text())["redis_url"]) as client:
        client.persist(keys.lobby(friends))  # it would end after half an hour
    return {**arena.places, "table": table, "friends": friends}


@pytest.fixture(scope="package")
def pages(
    chromium: Browser, arena: Arena, signed_in: dict[str, StorageState | None]
) -> Iterator[dict[str, Page]]:
    """A page for each visitor, with axe. Reusing it keeps its process and its cache."""
    contexts = {
        who: chromium.new_context(base_url=arena.dashboard, storage_state=cookies)
        for who, cookies in signed_in.items()
    }
    for context in contexts.values():
        context.add_init_script(LEARNED)
        context.add_init_script(AXE_SCRIPT)
    yield {who: context.new_page() for who, context in contexts.items()}
    for context in contexts.values():
        context.close()


Open = Callable[..., AbstractContextManager[Page]]


@pytest.fixture
def open_page(chromium: Browser, arena: Arena, signed_in: dict[str, StorageState | None]) -> Open:
    """Opens a page as a given visitor and fails the test on any error of the page."""

    @contextmanager
    def opened(who: str = "", expected: int = 200, **options: Any) -> Iterator[Page]:
        context = chromium.new_context(
            base_url=arena.dashboard, storage_state=signed_in[who], **options
        )
        with closing(context), watched(context.new_page(), expected) as page:
            yield page

    return opened
