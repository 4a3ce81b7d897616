"""A person's record of games, and its transfer to an account."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.people import person
from tests.integration.play_world import Person, PlayWorld, play_world

REPLAY = '>Replay<span class="unseen"> of '


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlayWorld]:
    folder: Path = tmp_path_factory.mktemp("record")
    with play_world(folder) as made:
        made.all_here()
        yield made


def finish(who: Person, length: str = "1") -> None:
    who.sit("lama", "ada", "bob", length=length)
    while who.wait() != "over":
        who.press(who.choices[-1])


def test_a_guest_without_a_game_has_an_empty_record(world: PlayWorld) -> None:
    assert "You have not finished a game yet" in Person(world).browser.get("/play/record").text


def test_the_record_follows_a_guest_into_an_account(world: PlayWorld) -> None:
    guest = Person(world)
    for _ in range(2):
        finish(guest)

    page = guest.browser.get("/play/record").text

    assert page.count('>Replay<span class="unseen"> of ') == 2
    assert page.count(" of 3</td>") + page.count(" of 3 <span") == 2
    assert 'href="/bots/ada"' in page
    assert "Sign up" in page
    assert "Add to my account" not in page
    refused = guest.send("/play/record/claim", "/play")
    assert refused.status_code == 403

    signed_in = person(world.app, world.store, "ria")
    cookie = guest.browser.get_cookie("arena_guest")
    assert cookie is not None
    signed_in.set_cookie("arena_guest", cookie.value)
    ria = Person(world, signed_in)
    offered = signed_in.get("/play/record").text
    assert "You played 2 games in this browser" in offered

    assert ria.send("/play/record/claim", "/play/record").status_code == 303

    elsewhere = Person(world)
    elsewhere.send("/sign-in", "/sign-in", name="ria", password="correct horse battery")
    assert elsewhere.browser.get("/play/record").text.count(REPLAY) == 2
    assert "Add to my account" not in signed_in.get("/play/record").text
    assert guest.browser.get("/play/record").text.count(REPLAY) == 0
