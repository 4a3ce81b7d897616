"""A person solves puzzles: hint, answer, next puzzle, and a rating; with and without JavaScript."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from arena.base.config import Settings
from arena.store import Store, upgrade_store
from arena.store.registry import accounts
from arena.store.reviews.puzzles import StoredPuzzle
from dashboard import create_app
from tests.browser.served import served, sign_in
from tests.integration.people import HASHED, PASSWORD
from tests.integration.puzzled import store_puzzles
from tests.integration.reviewed import some_matches


@pytest.fixture
def solvable(tmp_path: Path) -> Iterator[tuple[str, list[StoredPuzzle]]]:
    """The address of a dashboard with two puzzles and the account "ann"."""
    store: Store = upgrade_store(f"sqlite:///{tmp_path / 'arena.db'}")
    found = store_puzzles(store, some_matches(store)[0], 2)
    with store.write() as conn:
        accounts.sign_up(conn, "ann", HASHED)
    with served(create_app(Settings(), store, None)) as address:
        yield address, found
    store.dispose()


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def page(
    request: pytest.FixtureRequest, chromium: Browser, solvable: tuple[str, list[StoredPuzzle]]
) -> Iterator[Page]:
    context = chromium.new_context(base_url=solvable[0], java_script_enabled=request.param)
    yield context.new_page()
    context.close()


def choose(page: Page, action: str) -> None:
    """Presses the button of an action below the table."""
    labels = {"draw": "Draw a card", "quit": "Quit the round"}
    name = labels.get(action) or f"Play {action.removeprefix('play ')}"
    page.locator("#move").get_by_role("button", name=re.compile(f"^{re.escape(name)}")).click()


def test_a_person_takes_a_hint_answers_and_goes_on(
    page: Page, solvable: tuple[str, list[StoredPuzzle]]
) -> None:
    _, (one, two) = solvable
    sign_in(page, "ann", PASSWORD)
    page.goto(f"/play/puzzles/{one.id}")
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_text("This answer is not rated.")).to_be_visible()
    expect(page.locator(".struck")).to_have_count(len(one.worse_half))
    choose(page, one.best)
    expect(page.get_by_role("heading", name="Right!")).to_be_visible()
    expect(page.get_by_text("With a hint, an answer is not rated.")).to_be_visible()
    expect(page.locator("table.options tbody tr")).to_have_count(len(one.alternatives))

    page.get_by_role("link", name="Next puzzle").click()
    page.wait_for_url(f"**/play/puzzles/{two.id}")
    choose(page, two.alternatives[-1].action)
    expect(page.get_by_role("heading", name="Not the best")).to_be_visible()
    expect(page.get_by_text("It is 1468 now")).to_be_visible()
    page.get_by_role("link", name="All puzzles").click()
    expect(page.get_by_text("You have answered every puzzle of this game.")).to_be_visible()

    page.goto(f"/play/puzzles/{two.id}")
    page.get_by_role("link", name="Replay").click()
    page.wait_for_url(f"**/matches/{two.match}/replay?move={two.number}&seat={two.seat}")
