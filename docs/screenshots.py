"""Take the screenshots in docs/images from a running arena's dashboard.

    arena demo                                   (in another terminal; keep it running)
    .venv/bin/python docs/screenshots.py .arena/demo

The script creates an account and a bot in that arena, and starts a game. It needs the test tools
(installed by `make test`) and Chromium.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from arena.base import folder
from arena.base.errors import AlreadyExists
from arena.store import open_store
from arena.store.registry import accounts, passwords

IMAGES = Path(__file__).parent / "images"
BROWSERS = ("chromium", "chromium-browser", "chromium-headless-shell")
CHROMIUM_FLAGS = ["--disable-gpu", "--disable-background-networking", "--hide-scrollbars"]
SIZE = ViewportSize(width=1200, height=760)
Theme = Literal["light", "dark"]
BOTH: tuple[Theme, ...] = ("light", "dark")
NAME, PASSWORD, BOT = "ada", "pictures of an arena", "my-first-bot"


@dataclass(frozen=True)
class Picture:
    """A page, actions to prepare it, and its themes."""

    name: str
    path: str
    do: Callable[[Page], object] = lambda page: None
    themes: tuple[Theme, ...] = ("light",)


PICTURES = (
    Picture("overview", "/", themes=BOTH),
    Picture("ratings", "/ratings"),
    Picture("tournament", "/tournaments/1"),
    Picture("bot", "/bots/sharp", themes=BOTH),
    Picture("match", "/matches/{match}"),
    Picture("replay", "/matches/{match}/replay?move=9", themes=("dark",)),
    Picture("new-tournament", "/tournaments/new", lambda page: fill_in(page)),
    Picture("my-bot", f"/my/bots/{BOT}"),
    Picture("play", "/play", lambda page: sit_down(page), themes=BOTH),
)


def main(data: Path) -> None:
    """Take all screenshots from the arena in this data folder."""
    running = folder.find_running(data)
    if running is None:
        sys.exit(f"No arena is running in {data}. Start one with `arena demo`.")
    appoint(running.database_url or f"sqlite:///{data.resolve() / 'arena.db'}")
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as tools:
        chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
        browser = tools.chromium.launch(
            executable_path=chromium, args=CHROMIUM_FLAGS, chromium_sandbox=False
        )
        with signed_in(browser, running.dashboard) as page, connected(page):
            newest = json.loads(page.request.get("/api/matches?limit=1").text())
            for picture in PICTURES:
                take(page, picture, newest["matches"][0]["id"])
        browser.close()


def appoint(database: str) -> None:
    """Create the organiser account for the screenshots, unless it exists."""
    store = open_store(database)
    try:
        with store.write() as conn:
            accounts.sign_up(conn, NAME, passwords.hashed(PASSWORD), organiser=True)
    except AlreadyExists:
        pass  # from an earlier run
    finally:
        store.dispose()


@contextmanager
def signed_in(browser: Browser, dashboard: str) -> Iterator[Page]:
    """Yield a page that is signed in to the account."""
    context = browser.new_context(
        base_url=dashboard, viewport=SIZE, color_scheme="light", reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto("/sign-in")
    page.get_by_label("Name").fill(NAME)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/my/bots")
    yield page
    context.close()


@contextmanager
def connected(page: Page) -> Iterator[None]:
    """Create and connect a bot with the program and commands on its page."""
    page.goto("/my/bots/-/new")
    page.get_by_label("Name").fill(BOT)
    page.get_by_role("button", name="Create bot").click()
    if page.url.endswith("/new") and not page.get_by_role("region", name="Commands").count():
        page.goto(f"/my/bots/{BOT}")
        page.get_by_text("New token", exact=True).click()
        page.get_by_role("button", name="Create new token").click()
    program = page.get_by_role("region", name="Program", exact=True).inner_text()
    commands = page.get_by_role("region", name="Commands", exact=True).inner_text()
    lines = [line.removeprefix("export ").split("=", 1) for line in commands.splitlines()[:2]]
    command = [sys.executable, "-c", program]
    bot = subprocess.Popen(command, env={**os.environ, **dict(lines)})  # noqa: S603
    try:
        expect(page.locator(".connected-connected")).to_be_visible(timeout=30_000)
        yield
    finally:
        bot.terminate()


def fill_in(page: Page) -> None:
    """Fill in a new tournament, for its forecast."""
    page.locator("#field-seats").fill("3")
    for name in ("careful", "five", "sharp", "stubborn"):
        page.locator(f"input[name=bots][value={name}]").check()
    expect(page.locator("#preview .large").first).to_be_visible()
    page.evaluate("scrollTo(0, 0)")


def sit_down(page: Page) -> None:
    """Start a game, skip the introduction and wait for the turn."""
    page.get_by_role("button", name="Sit down").click()
    page.get_by_role("button", name="Skip").click()
    expect(page.locator(".playing[data-turn=mine]")).to_be_visible(timeout=30_000)


def take(page: Page, picture: Picture, match: str) -> None:
    """Take the screenshot of a page in each theme."""
    page.goto(picture.path.format(match=match))
    picture.do(page)
    page.wait_for_timeout(1500)  # until charts and live fragments have loaded
    for theme in picture.themes:
        page.emulate_media(color_scheme=theme)
        page.wait_for_timeout(300)
        name = picture.name if theme == "light" else f"{picture.name}-dark"
        page.screenshot(path=IMAGES / f"{name}.png")
    page.emulate_media(color_scheme="light")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
