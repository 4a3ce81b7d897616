"""Stopping tournaments, carrying them on, and entering ladders, on the dashboard."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from arena.base.config import Settings
from arena.store import Store
from arena.store.registry import bots
from arena.store.tournaments import creation, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import TournamentSpec, check_spec
from dashboard import create_app
from tests.integration.people import bot_of, csrf, person
from tests.made_results import entered


@pytest.fixture
def ann(app: Flask, sqlite_store: Store) -> FlaskClient:
    """A user with a bot called hers."""
    browser = person(app, sqlite_store, "ann")
    bot_of(sqlite_store, "ann", "hers")
    return browser


def state(store: Store) -> Tournament:
    with store.read() as conn:
        return tournaments.get(conn, 1)


def post(browser: FlaskClient, path: str, **fields: str) -> TestResponse:
    return browser.post(path, data={**fields, "csrf_token": csrf(browser)})


def ladder(store: Store) -> None:
    entered(store, format="ladder", matches=3, repeats=None)


# Stopping and carrying on


def test_a_tournament_is_stopped_and_carried_on_each_after_a_question(
    olga: FlaskClient, sqlite_store: Store
) -> None:
    entered(sqlite_store)
    assert 'href="/tournaments/1/cancel"' in olga.get("/tournaments/1").text
    assert "0 of 60 matches" in re.sub("<[^>]+>", "", olga.get("/tournaments/1/cancel").text)
    assert state(sqlite_store).state == "waiting"

    assert post(olga, "/tournaments/1/cancel").location == "/tournaments/1"
    assert state(sqlite_store).state == "cancelled"

    assert 'href="/tournaments/1/resume"' in olga.get("/tournaments/1/live").text
    assert "The other 60" in olga.get("/tournaments/1/resume").text
    assert post(olga, "/tournaments/1/resume").location == "/tournaments/1"
    assert state(sqlite_store).state == "waiting"


def test_the_questions_have_a_form_with_its_token(olga: FlaskClient, sqlite_store: Store) -> None:
    entered(sqlite_store)
    token = csrf(olga, "/tournaments/1/cancel")

    assert olga.post("/tournaments/1/cancel").status_code == 400
    assert olga.post("/tournaments/1/cancel", data={"csrf_token": token}).status_code == 303


def test_conflicts_get_a_sentence(olga: FlaskClient, sqlite_store: Store) -> None:
    entered(sqlite_store)

    for answer in (olga.get("/tournaments/1/resume"), post(olga, "/tournaments/1/resume")):
        assert answer.status_code == 409
        assert "Tournament 1 is waiting" in answer.text
    post(olga, "/tournaments/1/cancel")
    for answer in (olga.get("/tournaments/1/cancel"), post(olga, "/tournaments/1/cancel")):
        assert answer.status_code == 409
        assert "Tournament 1 is cancelled" in answer.text
    assert post(olga, "/tournaments/9/cancel").status_code == 404


def test_it_is_carried_on_only_where_the_arena_runs(sqlite_store: Store) -> None:
    entered(sqlite_store)
    app = create_app(Settings(), sqlite_store, None)
    olga = person(app, sqlite_store, "olga", organiser=True)
    post(olga, "/tournaments/1/cancel")

    answer = post(olga, "/tournaments/1/resume")

    assert answer.status_code == 503
    assert "The arena is not running." in answer.text
    assert "arena up" not in answer.text, "that is for operators"
    assert state(sqlite_store).state == "cancelled"


def test_others_are_offered_nothing_and_may_not(ann: FlaskClient, sqlite_store: Store) -> None:
    entered(sqlite_store)

    assert "/cancel" not in ann.get("/tournaments/1").text
    for path in ("/tournaments/1/cancel", "/tournaments/1/resume"):
        assert ann.get(path).status_code == 403
        assert post(ann, path).status_code == 403
    assert state(sqlite_store).state == "waiting"


# Priority


def test_an_organiser_changes_the_share_of_the_workers(
    olga: FlaskClient, ann: FlaskClient, sqlite_store: Store
) -> None:
    entered(sqlite_store)
    assert 'value="normal" selected' in olga.get("/tournaments/1").text
    assert "/priority" not in ann.get("/tournaments/1").text

    answer = post(olga, "/tournaments/1/priority", priority="high")

    assert answer.location == "/tournaments/1"
    assert (state(sqlite_store).priority, state(sqlite_store).weight) == ("high", 4.0)
    assert 'value="high" selected' in olga.get("/tournaments/1").text
    refused = post(olga, "/tournaments/1/priority", priority="highest")
    assert refused.status_code == 400
    assert "low, normal, high" in refused.text
    assert post(olga, "/tournaments/9/priority", priority="high").status_code == 404


# Entering a ladder


def test_the_owner_of_a_bot_enters_it_in_a_ladder(ann: FlaskClient, sqlite_store: Store) -> None:
    ladder(sqlite_store)
    assert '<option value="hers">' in ann.get("/tournaments/1").text

    answer = post(ann, "/tournaments/1/enter", bot="hers")

    assert answer.location == "/tournaments/1"
    assert state(sqlite_store).spec.bots[-1] == "hers"
    page = ann.get("/tournaments/1").text
    assert "Enter a bot" not in page
    again = post(ann, "/tournaments/1/enter", bot="hers")
    assert again.status_code == 409
    assert "is already in tournament 1" in again.text


def test_a_new_version_can_be_entered_again(ann: FlaskClient, sqlite_store: Store) -> None:
    ladder(sqlite_store)
    post(ann, "/tournaments/1/enter", bot="hers")
    with sqlite_store.write() as conn:
        bots.new_version(conn, "hers", "")

    assert '<option value="hers">' in ann.get("/tournaments/1").text
    assert post(ann, "/tournaments/1/enter", bot="hers").status_code == 303


def test_an_organiser_enters_any_bot_others_only_their_own(
    ann: FlaskClient, olga: FlaskClient, sqlite_store: Store
) -> None:
    ladder(sqlite_store)
    with sqlite_store.write() as conn:
        bots.register(conn, "zoe")

    assert '<option value="zoe">' not in ann.get("/tournaments/1").text
    refused = post(ann, "/tournaments/1/enter", bot="zoe")
    assert refused.status_code == 403
    assert "your own bots" in refused.text

    assert '<option value="zoe">' in olga.get("/tournaments/1").text
    assert post(olga, "/tournaments/1/enter", bot="zoe").status_code == 303


@pytest.mark.parametrize(
    ("format_", "bot", "status"),
    [("round-robin", "hers", 400), ("ladder", "nobody", 404), ("ladder", "", 404)],
)
def test_who_cannot_be_entered_is_a_sentence(
    ann: FlaskClient, sqlite_store: Store, format_: str, bot: str, status: int
) -> None:
    entered(sqlite_store, format=format_, matches=3, repeats=None)

    assert ("Enter a bot" in ann.get("/tournaments/1").text) == (format_ == "ladder")
    assert post(ann, "/tournaments/1/enter", bot=bot).status_code == status


def test_a_ladder_that_is_over_takes_nobody(ann: FlaskClient, sqlite_store: Store) -> None:
    ladder(sqlite_store)
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, 1, "cancelled")

    assert "Enter a bot" not in ann.get("/tournaments/1").text
    assert post(ann, "/tournaments/1/enter", bot="hers").status_code == 409


def test_only_organisers_enter_bots_in_a_trusted_tournament(
    ann: FlaskClient, olga: FlaskClient, sqlite_store: Store
) -> None:
    entered(sqlite_store, format="ladder", deals=1, repeats=None)  # its deals are shared

    assert "Enter a bot" not in ann.get("/tournaments/1").text
    refused = post(ann, "/tournaments/1/enter", bot="hers")
    assert refused.status_code == 403
    assert "they have to trust every entrant" in refused.text
    assert post(olga, "/tournaments/1/enter", bot="hers").status_code == 303


def test_owner_enters_a_hosted_bot_with_duplicate_deals(
    ann: FlaskClient, sqlite_store: Store
) -> None:
    with sqlite_store.write() as conn:
        for name in ("cyd", "dan", "eve"):
            bots.register(conn, name)
            bots.new_version(conn, name, hosted=True)
        shared = {"deals": "duplicate"}
        spec = TournamentSpec(
            format="ladder", seats=3, bots=("cyd", "dan", "eve"), deals=1, format_options=shared
        )
        creation.create(conn, check_spec(spec))

    assert "Enter a bot" not in ann.get("/tournaments/1").text
    refused = post(ann, "/tournaments/1/enter", bot="hers")
    assert refused.status_code == 403
    assert "Enter a hosted version" in refused.text
    with sqlite_store.write() as conn:
        bots.new_version(conn, "hers", hosted=True)
    assert "Enter a bot" in ann.get("/tournaments/1").text
    assert post(ann, "/tournaments/1/enter", bot="hers").status_code == 303
    assert state(sqlite_store).spec.bots[-1] == "hers"
