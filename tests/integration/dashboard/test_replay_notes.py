"""Bots' notes in a replay: their readers, their decisions, and the switch of the author."""

import json
import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from arena.store import Store
from arena.store.matches import bot_notes
from arena.store.matches.matches import StoredMatch
from arena.store.registry import audit_log
from tests.integration.noted import decisions_of, played_match, seat_of
from tests.integration.people import bot_of, person, send
from tests.integration.played import register

ONLY_YOU = "Only you see this"
TEXT = "I bluff.\n<script>alert(1)</script> \u05d0\u05d1"
SHOWN = (
    '<p dir="auto">I bluff.</p><p dir="auto">&lt;script&gt;alert(1)&lt;/script&gt; \u05d0\u05d1</p>'
)


@pytest.fixture
def ann(app: Flask, sqlite_store: Store) -> FlaskClient:
    """The author of ada."""
    browser = person(app, sqlite_store, "ann")
    bot_of(sqlite_store, "ann", "ada")
    register(sqlite_store, "bob")
    return browser


@pytest.fixture
def eve(app: Flask, sqlite_store: Store) -> FlaskClient:
    return person(app, sqlite_store, "eve")


def noted(store: Store, only: int | None = None) -> tuple[StoredMatch, int, int]:
    """A match with a note of ada, her seat, and the number of the decision."""
    match = played_match(store, only)
    seat = seat_of(match, "ada")
    number = decisions_of(match, seat)[0]
    with store.write() as conn:
        row = conn.exec_driver_sql("SELECT id FROM bots WHERE name = 'ada'").scalar_one()
        bot_notes.add(conn, row, match.id, seat, {number: TEXT}, 5.0)
    return match, seat, number


def page(browser: FlaskClient, match: StoredMatch, number: int, more: str = "") -> str:
    answer = browser.get(f"/matches/{match.id}/replay?move={number}{more}")
    assert answer.status_code == 200
    return answer.text


def frame(browser: FlaskClient, match: StoredMatch, number: int, more: str = "") -> str:
    """The decision that the page's script shows at a move of the first round."""
    found = browser.get(f"/matches/{match.id}/replay/frames?round=1{more}").get_json()
    (state,) = [each for each in found["frames"] if each["key"] == f"move-{number}"]
    place = found["where"].index("decision")
    return str(found["pieces"][state["drawn"][place]])


def test_only_the_author_sees_a_note_and_only_at_its_decision(
    app: Flask, sqlite_store: Store, ann: FlaskClient, eve: FlaskClient
) -> None:
    match, _, number = noted(sqlite_store)

    for text in (page(ann, match, number), frame(ann, match, number)):
        assert SHOWN in text
        assert ONLY_YOU in text
        assert 'href="/my/bots/ada#notes"' in text
    assert "I bluff" not in page(ann, match, number + 1)
    assert "I bluff" not in frame(ann, match, number + 1)
    for browser in (eve, app.test_client()):
        assert "I bluff" not in page(browser, match, number)
        everything = browser.get(f"/matches/{match.id}/replay/frames?round=1").text
        assert "I bluff" not in everything
    answer = ann.get(f"/matches/{match.id}/replay/frames?round=1")
    assert answer.headers["Cache-Control"] == "private, no-cache"


def test_another_seat_does_not_see_the_note(sqlite_store: Store, ann: FlaskClient) -> None:
    match, seat, number = noted(sqlite_store)

    assert "I bluff" in page(ann, match, number, f"&seat={seat}")
    assert "I bluff" in frame(ann, match, number, f"&seat={seat}")
    assert "I bluff" not in page(ann, match, number, f"&seat={1 - seat}")
    assert "I bluff" not in frame(ann, match, number, f"&seat={1 - seat}")


def test_the_author_makes_the_notes_public_and_private_again(
    sqlite_store: Store, ann: FlaskClient, eve: FlaskClient
) -> None:
    match, _, number = noted(sqlite_store)
    form = "/my/bots/ada"
    assert "checked" not in tick(ann)

    answer = send(ann, f"{form}/notes", form, public="yes")

    assert answer.headers["Location"].endswith("/my/bots/ada?done=notes")
    assert "Everyone can read the notes of ada" in ann.get("/my/bots/ada?done=notes").text
    assert "checked" in tick(ann)
    for text in (page(eve, match, number), frame(eve, match, number)):
        assert SHOWN in text
        assert "Note of <bdi>ada</bdi>" in text
        assert ONLY_YOU not in text
        assert "#notes" not in text
    own = page(ann, match, number)
    assert ONLY_YOU not in own
    assert "Everyone sees this" in own

    send(ann, f"{form}/notes", form)
    assert "I bluff" not in page(eve, match, number)


def tick(browser: FlaskClient) -> str:
    (found,) = re.findall(r'<input id="field-notes"[^>]*>', browser.get("/my/bots/ada").text)
    return str(found)


def test_a_locked_match_shows_no_notes_not_even_to_its_author(
    sqlite_store: Store, ann: FlaskClient
) -> None:
    match, _, number = noted(sqlite_store, only=1)
    send(ann, "/my/bots/ada/notes", "/my/bots/ada", public="yes")

    assert "I bluff" not in page(ann, match, number)
    assert ann.get(f"/matches/{match.id}/replay/frames?round=1").status_code == 409


def test_the_api_and_embedded_replays_have_no_notes(sqlite_store: Store, ann: FlaskClient) -> None:
    match, *_ = noted(sqlite_store)
    send(ann, "/my/bots/ada/notes", "/my/bots/ada", public="yes")

    replay = ann.get(f"/api/matches/{match.id}/replay?round=1&drawn=1").get_json()
    assert "I bluff" not in json.dumps(replay)
    assert "note" not in replay["states"][0]
    assert "I bluff" not in ann.get(f"/embed/matches/{match.id}").text


def test_an_author_deletes_the_notes_of_a_bot(
    sqlite_store: Store, ann: FlaskClient, eve: FlaskClient
) -> None:
    match, _, number = noted(sqlite_store)
    send(eve, "/my/bots/ada/notes/delete", "/account")
    assert "I bluff" in page(ann, match, number)

    answer = send(ann, "/my/bots/ada/notes/delete", "/my/bots/ada")

    assert "The notes of ada are deleted." in ann.get(answer.location).text
    assert "I bluff" not in page(ann, match, number)


def test_an_organiser_hides_public_notes(
    app: Flask, sqlite_store: Store, ann: FlaskClient, eve: FlaskClient
) -> None:
    match, _, number = noted(sqlite_store)
    olga = person(app, sqlite_store, "olga", organiser=True)
    assert "Hide its notes" not in olga.get("/bots/ada").text
    send(ann, "/my/bots/ada/notes", "/my/bots/ada", public="yes")
    assert "Hide its notes" not in eve.get("/bots/ada").text

    send(olga, "/bots/ada/notes/hide", "/bots/ada")

    assert "I bluff" not in page(eve, match, number)
    assert "I bluff" in page(ann, match, number)
    with sqlite_store.read() as conn:
        newest = audit_log.entries(conn, 1)[0]
    assert (newest.who, newest.action, newest.subject) == ("olga", "hid the notes", "bot ada")
