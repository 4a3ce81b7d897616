"""One browser for the whole run; every test has windows of its own in it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, StorageState, expect, sync_playwright

from tests.browser.arena import Arena, arena_up
from tests.browser.chromium import launch
from tests.browser.filled import ORGANISER, OWNER
from tests.browser.served import sign_in
from tests.browser.watch import LEARNED, watched
from tests.integration.people import PASSWORD

# A machine that is busy with other things is slow, not wrong.
expect.set_options(timeout=20_000)


# Not for the session: while Playwright runs, no other test of the process can run an event loop.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as tools:
        _, browser = launch(tools.chromium)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def arena() -> Iterator[Arena]:
    """An arena that is up, with something on every page; all tests share it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)  # hosted bots may be users who have to get into it
        with arena_up(Path(folder)) as running:
            yield running


@pytest.fixture(scope="package")
def signed_in(chromium: Browser, arena: Arena) -> dict[str, StorageState | None]:
    """The cookies of those who look: a stranger has none."""
    return {
        "": None,
        "owner": cookies_of(chromium, arena, OWNER),
        "organiser": cookies_of(chromium, arena, ORGANISER),
    }


def cookies_of(chromium: Browser, arena: Arena, name: str) -> StorageState:
    """The cookies of somebody who has signed in."""
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
    """Parts of addresses, with the number of a table at which the owner sits."""
    context = chromium.new_context(base_url=arena.dashboard, storage_state=signed_in["owner"])
    page = context.new_page()
    page.goto("/play")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/play/*")
    table = page.url.rpartition("/")[2]
    context.close()
    return {**arena.places, "table": table}


@pytest.fixture(scope="package")
def windows(
    chromium: Browser, arena: Arena, signed_in: dict[str, StorageState | None]
) -> Iterator[dict[str, BrowserContext]]:
    """A window of each of those who look, in which pages are opened one after the other: what they
    share is fetched once."""
    opened = {
        who: chromium.new_context(base_url=arena.dashboard, storage_state=cookies)
        for who, cookies in signed_in.items()
    }
    for context in opened.values():
        context.add_init_script(LEARNED)
    yield opened
    for context in opened.values():
        context.close()


Open = Callable[..., AbstractContextManager[Page]]


@pytest.fixture
def open_page(chromium: Browser, arena: Arena, signed_in: dict[str, StorageState | None]) -> Open:
    """Opens a page as somebody; it must not complain while it is open."""

    @contextmanager
    def opened(who: str = "", expected: int = 200, **options: Any) -> Iterator[Page]:
        context = chromium.new_context(
            base_url=arena.dashboard, storage_state=signed_in[who], **options
        )
        with closing(context), watched(context.new_page(), expected) as page:
            yield page

    return opened
