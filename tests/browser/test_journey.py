"""A newcomer's way from an account to a rated bot and its replay."""

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.arena import Arena
from tests.browser.watch import watched

pytestmark = pytest.mark.timeout(240)

PASSWORD = "a few quiet words"
SOON_MS = 30_000  # for effects of played matches
# Enough to observe the page while they are played.
DEALS = 20


@dataclass
class Person:
    """A user at a browser; any error of the page fails the test."""

    page: Page
    name: str

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def follow(self, name: str) -> None:
        self.page.get_by_role("link", name=name, exact=True).first.click()

    def sign_up(self) -> None:
        self.page.goto("/")
        self.follow("Sign in")
        self.follow("Sign up")
        self.page.get_by_label("Name").fill(self.name)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.press("Sign up")
        expect(self.page.get_by_role("heading", name="My bots")).to_be_visible()


@contextmanager
def person(chromium: Browser, arena: Arena, name: str) -> Iterator[Person]:
    context = chromium.new_context(base_url=arena.dashboard, reduced_motion="reduce")
    with closing(context), watched(context.new_page()) as page:
        yield Person(page, name)


def test_from_signing_up_to_the_replay_of_a_rated_match(
    chromium: Browser, arena: Arena, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        ada = stack.enter_context(person(chromium, arena, "ada"))
        ada.sign_up()
        token = makes_a_bot(ada, "ada-bot")
        stack.enter_context(connects_it(ada, token, tmp_path))
        tries_it(ada)

        olga = stack.enter_context(person(chromium, arena, "olga"))
        olga.sign_up()
        arena.run("account", "organiser", "olga")
        makes_a_tournament(olga, "ada-bot", "sharp")
        watches_it(olga)
        finds_the_rating(ada)
        opens_a_replay(ada)


def test_from_the_editor_to_what_the_bot_wrote_in_its_matches(
    chromium: Browser, arena: Arena
) -> None:
    """The arena's host plays the bot."""
    with person(chromium, arena, "bea") as bea:
        bea.sign_up()
        makes_a_bot(bea, "bea-bot")
        bea.follow("upload it")
        bea.follow("Open the editor")
        bea.page.get_by_text("bot.py", exact=True).click()
        expect(bea.page.locator(".CodeMirror-focused")).to_be_visible()
        bea.page.keyboard.press("Control+A")
        bea.page.keyboard.insert_text(TELLS)
        bea.press("Submit and test")

        bea.page.wait_for_url("**/tests/*", timeout=2 * SOON_MS)
        expect(bea.page.locator("#live .standing")).to_contain_text(
            re.compile(r"Won \d of \d"), timeout=SOON_MS
        )
        bea.follow("Runs: output and resources")
        # Not a process that another one replaced before its first decision.
        run = bea.page.locator(".runs tbody tr").filter(has_not_text="\N{EN DASH}").first
        expect(run).to_be_visible(timeout=SOON_MS)
        run.get_by_role("link").first.click()
        expect(bea.page.locator(".parts pre").last).to_have_text(re.compile(r"^decision \d+\n$"))
        said = bea.page.locator(".parts pre").last.inner_text().split()[-1]
        expect(bea.page.locator(".parts h3").last).to_contain_text(f"Decision {said} in the replay")
        bea.page.locator(".parts").get_by_role("link", name="in the replay").last.click()
        expect(bea.page.locator("#said")).to_have_text(re.compile(rf"^Move {said}\."))


def test_from_an_avatar_and_a_description_to_leaving_with_the_data(
    chromium: Browser, arena: Arena
) -> None:
    with person(chromium, arena, "cleo") as cleo, person(chromium, arena, "guest") as guest:
        cleo.sign_up()
        makes_a_bot(cleo, "cleo-bot")
        describes_it(cleo)
        shows_who_they_are(cleo)

        finds_the_author(guest)
        leaves(cleo)
        guest.page.reload()
        expect(guest.page.get_by_role("link", name="cleo", exact=True)).to_have_count(0)


def describes_it(cleo: Person) -> None:
    cleo.page.goto("/my/bots/cleo-bot")
    cleo.page.get_by_label("Description").fill("Quits early.")
    cleo.page.get_by_label("Language").select_option("Python")
    cleo.page.locator("#public ~ form").get_by_role("button", name="Save").click()
    expect(cleo.page.get_by_text("Saved.")).to_be_visible()


def shows_who_they_are(cleo: Person) -> None:
    cleo.page.goto("/account")
    cleo.page.get_by_role("main").get_by_role("link", name="Public page").click()
    cleo.page.get_by_label("Show my name").check()
    cleo.page.get_by_label("About you").fill("Plays cards.")
    cleo.press("Save")
    expect(cleo.page.get_by_text("Saved.")).to_be_visible()


def finds_the_author(guest: Person) -> None:
    """Searches for the author and goes on to the bot's page."""
    page = guest.page
    page.goto("/")
    page.get_by_role("combobox", name="Search").first.fill("cleo")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="cleo", exact=True).click()
    expect(page.get_by_text("Plays cards.")).to_be_visible()
    expect(page.locator(".face.huge")).to_be_visible()
    guest.follow("cleo-bot")
    expect(page.locator(".portrait .face.huge")).to_be_visible()
    expect(page.locator(".portrait")).to_contain_text("Quits early.")
    expect(page.locator(".portrait")).to_contain_text("Python")


def leaves(cleo: Person) -> None:
    page = cleo.page
    page.goto("/account")
    with page.expect_download() as taken:
        cleo.follow("Download your data")
    with zipfile.ZipFile(taken.value.path()) as files:
        assert any("cleo-bot" in files.read(name).decode() for name in files.namelist())
    cleo.follow("Delete account")
    page.get_by_label("to confirm").fill("cleo")
    page.get_by_label("Current password").fill(PASSWORD)
    cleo.press("Delete account")
    expect(page.get_by_role("heading", name="Account deleted")).to_be_visible()


TELLS = """
from arena.sdk import Bot

class Tells(Bot):
    games = ("lama",)

    def choose(self, view):
        print("decision", view.number)
        return view.actions[0]
"""


def makes_a_bot(ada: Person, name: str) -> str:
    """Returns the token, which is shown only once."""
    ada.follow("New bot")
    ada.page.get_by_label("Name").fill(name)
    ada.press("Create bot")
    token = ada.page.get_by_role("region", name="Token", exact=True).inner_text()
    assert token.startswith("lama_")
    standing = ada.page.locator("#live .standing")
    expect(standing).to_contain_text("Not connected")
    return token


@contextmanager
def connects_it(ada: Person, token: str, folder: Path) -> Iterator[None]:
    """Runs the program on the page as described there; the page turns green by itself."""
    page, program = ada.page, folder / "ada_bot.py"
    program.write_text(page.get_by_role("region", name="Program", exact=True).inner_text())
    told = re.findall(
        r"export (\w+)=(\S+)", page.get_by_role("region", name="Commands", exact=True).inner_text()
    )
    assert ("ARENA_TOKEN", token) in told
    page.evaluate("window.same = true")
    with subprocess.Popen([sys.executable, str(program)], env={**os.environ, **dict(told)}) as bot:
        try:
            expect(page.locator("#live.connected-connected")).to_be_visible(timeout=SOON_MS)
            expect(page.locator("#live .standing")).to_contain_text("waiting for a match")
            assert page.evaluate("window.same")
            page.goto("/my/bots/ada-bot")
            assert token not in page.content()
            yield
        finally:
            bot.terminate()


def tries_it(ada: Person) -> None:
    """Plays a test match from the bot's page, which describes its result."""
    ada.press("Play a test match")
    standing = ada.page.locator("#live .standing")
    expect(standing).to_contain_text(re.compile(r"Won \d of \d"), timeout=SOON_MS)
    expect(standing).to_contain_text("without a fault")
    expect(ada.page.locator("#live .match")).to_have_count(2)


def makes_a_tournament(olga: Person, *bots: str) -> None:
    """Only organisers have this form; it predicts the number of matches."""
    page = olga.page
    olga.follow("Tournaments")
    olga.follow("New tournament")
    page.locator("#field-seats").fill("2")
    page.locator("#field-table_matches").fill(str(2 * DEALS))
    for box in page.get_by_role("checkbox").all():
        box.set_checked(box.get_attribute("value") in bots)
    page.locator("#field-name").fill("Ada's first")
    expect(page.locator("#preview .large").first).to_contain_text(f"{2 * DEALS} matches")
    olga.press("Create tournament")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada's first")


def watches_it(olga: Person) -> None:
    """The page shows results as they arrive, and nothing on it jumps."""
    page = olga.page
    page.evaluate("window.same = true")
    played = page.locator("#live .numbers b").first
    expect(played).not_to_have_text("0", timeout=SOON_MS)
    before = boxes(page)
    expect(played).to_have_text(str(2 * DEALS), timeout=2 * SOON_MS)
    expect(page.locator(".state-line")).to_contain_text("finished", timeout=SOON_MS)

    after = boxes(page)
    assert {name: box for name, box in after.items() if name in before} == before
    assert page.evaluate("window.same")


def boxes(page: Page) -> dict[str, list[float]]:
    """Positions of the visible parts of the page."""
    found: dict[str, list[float]] = page.evaluate(SEEN)
    return found


SEEN = """() => {
  const parts = document.querySelectorAll("main h1, main section, main h2, main table, thead th");
  const open = [...parts].filter((one) => one.checkVisibility()); // others have no layout
  const seen = open.filter((one) => one.getBoundingClientRect().top < innerHeight);
  return Object.fromEntries(seen.map((one) => {
    const box = one.getBoundingClientRect();
    const called = ["aria-labelledby", "aria-label", "id"].map((by) => one.getAttribute(by));
    const name = called.find(Boolean) || one.innerText.slice(0, 40);
    return [`${one.tagName} ${name}`, [box.x, box.y, box.width].map(Math.round)];
  }));
}"""


def finds_the_rating(ada: Person) -> None:
    ada.follow("Ratings")
    row = ada.page.locator(".ratings tbody tr", has_text="ada-bot")
    expect(row).to_be_visible(timeout=SOON_MS)
    expect(row).to_contain_text(str(2 * DEALS))


def opens_a_replay(ada: Person) -> None:
    """Steps through the match and verifies its shuffle."""
    page = ada.page
    page.goto("/matches?bot=ada-bot")
    page.locator(".matches .watch").first.click()
    for move in (1, 2, 3):
        expect(page.locator("#said")).to_have_text(re.compile(rf"^Move {move}\."))
        page.locator("#forward").click()
    page.locator("#shuffle").click()
    expect(page.locator("#browser-verdict .verdict.good")).to_be_visible()
