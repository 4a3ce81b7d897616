"""The pages of a tournament that is open for sign-up."""

import time

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from arena.store import Store
from arena.store.registry import accounts, bots
from arena.store.tournaments import sign_up, tournaments
from dashboard.tournaments.create.form import blank
from tests.integration.people import bot_of, csrf, person

HOUR_S = 3600


@pytest.fixture
def ada(app: Flask, sqlite_store: Store) -> FlaskClient:
    """An author with three bots."""
    found = person(app, sqlite_store, "ada")
    for name in ("ann", "amy", "ava"):
        bot_of(sqlite_store, "ada", name)
    return found


def opens(olga: FlaskClient, **fields: str) -> TestResponse:
    """Has the form make a tournament that is open for sign-up."""
    at = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 2 * HOUR_S))
    asked = {"seats": "2", "open": "yes", "starts_at": at, "max_bots": "4", "bots_per_author": "2"}
    sent = {**blank().values, **asked, **fields, "csrf_token": csrf(olga)}
    return olga.post("/tournaments", data=sent)


def does(browser: FlaskClient, act: str, bot: str) -> TestResponse:
    token = csrf(browser)
    return browser.post(f"/tournaments/1/{act}", data={"bot": bot, "csrf_token": token})


def entered(store: Store) -> tuple[str, ...]:
    with store.read() as conn:
        return tournaments.get(conn, 1).spec.bots


def test_an_author_enters_and_withdraws_on_the_tournaments_page(
    app: Flask, olga: FlaskClient, ada: FlaskClient, sqlite_store: Store
) -> None:
    assert opens(olga).status_code == 303
    page = ada.get("/tournaments/1").text
    assert "No bot has entered yet." in page
    assert "open for sign-up" in page
    assert "4 places left" in page
    assert "Enter bot" in page
    assert "Withdraw bot" not in page
    assert "Standings of" not in page

    assert does(ada, "enter", "ann").status_code == 303
    page = ada.get("/tournaments/1").text
    assert "3 places left" in page
    assert "Withdraw bot" in page
    assert does(ada, "withdraw", "ann").status_code == 303
    assert does(ada, "enter", "ann").status_code == 303
    assert entered(sqlite_store) == ("ann",)

    stranger = app.test_client()
    assert "to enter your bots" in stranger.get("/tournaments/1").text
    assert "open for sign-up: 1 of 4 places taken" in stranger.get("/tournaments").text
    told = stranger.get("/api/tournaments/1").get_json()
    assert told["sign_up"] == {"max_bots": 4, "bots_per_author": 2}
    assert told["spec"]["bots"] == ["ann"]
    for path in ("/", "/calendar.ics", "/tournaments/1/calendar.ics", "/api/tournaments.csv"):
        assert stranger.get(path).status_code == 200


def test_an_author_has_their_own_bots_and_no_more_than_the_limit(
    olga: FlaskClient, ada: FlaskClient, sqlite_store: Store
) -> None:
    opens(olga)
    bot_of(sqlite_store, "olga", "oak")
    assert does(ada, "enter", "oak").status_code == 403
    for bot in ("ann", "amy"):
        does(ada, "enter", bot)
    assert "Enter bot" not in ada.get("/tournaments/1").text
    answer = does(ada, "enter", "ava")
    assert answer.status_code == 409
    assert "may enter 2 bots here" in answer.text

    does(olga, "enter", "oak")
    assert does(ada, "withdraw", "oak").status_code == 403
    assert does(olga, "withdraw", "ann").status_code == 303
    assert entered(sqlite_store) == ("amy", "oak")


def test_retiring_a_bot_withdraws_it(
    olga: FlaskClient, ada: FlaskClient, sqlite_store: Store
) -> None:
    opens(olga)
    for bot in ("ann", "amy"):
        does(ada, "enter", bot)
    ada.post("/my/bots/ann/retire", data={"csrf_token": csrf(ada)})
    assert entered(sqlite_store) == ("amy",)
    with sqlite_store.write() as conn:
        bots.reinstate(conn, "ann")
        assert accounts.by_name(conn, "ada")
    assert does(ada, "enter", "ann").status_code == 303


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"starts_at": ""}, "Enter a start time"),
        ({"until": "2999-01-01"}, "Choose an interval, or clear the other fields of the series"),
        ({"max_bots": "1"}, "enter a whole number from 2"),
        ({"seats": "6"}, "Choose a number from 6"),
        ({"format": "versus", "format.versus.candidate": "ann", "format.versus.baseline": "amy"},
         "A versus cannot be open"),
        ({"seed": "7"}, "cannot be trusted"),
        ({"format.round-robin.deals": "duplicate"}, "cannot be trusted"),
    ],
)  # fmt: skip
def test_form_shows_problems(
    olga: FlaskClient, ada: FlaskClient, fields: dict[str, str], sentence: str
) -> None:
    answer = opens(olga, **fields)
    assert answer.status_code == 400
    assert sentence in answer.text


def test_the_preview_says_what_is_known(olga: FlaskClient) -> None:
    at = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 2 * HOUR_S))
    sent = {**blank().values, "open": "yes", "starts_at": at, "bots": []}
    sent["csrf_token"] = csrf(olga)
    page = olga.post("/tournaments/new/preview", data=sent).text
    assert "Open for sign-up: <b>16 places</b>" in page


def test_an_organiser_begins_or_stops_it_early(
    olga: FlaskClient, ada: FlaskClient, sqlite_store: Store
) -> None:
    opens(olga)
    assert "ends now" in olga.get("/tournaments/1/resume").text
    token = csrf(olga)
    refused = olga.post("/tournaments/1/resume", data={"csrf_token": token})
    assert refused.status_code == 409
    assert "A table has 2 seats, and no bot has entered." in refused.text
    for bot in ("ann", "amy"):
        does(ada, "enter", bot)
    assert "While it is cancelled, no bot can enter" in olga.get("/tournaments/1/cancel").text
    for act in ("cancel", "resume"):
        olga.post(f"/tournaments/1/{act}", data={"csrf_token": token})
    assert does(ada, "enter", "ava").status_code == 409
    assert "Enter bot" not in ada.get("/tournaments/1").text


def test_who_would_be_left_out_at_the_start_is_named(
    olga: FlaskClient, ada: FlaskClient, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    opens(olga)
    for bot in ("ann", "amy"):
        does(ada, "enter", bot)
    assert "benched" not in ada.get("/tournaments/1").text

    with sqlite_store.read() as conn:
        ann = bots.get(conn, "ann").player
    monkeypatch.setattr(
        "arena.store.tournaments.bench.benched",
        lambda conn, players, after, game: {ann: "three forfeits"},
    )

    page = ada.get("/tournaments/1").text
    assert page.count(">benched<") == 1
    assert page.index("/bots/ann") < page.index(">benched<") < page.index("/bots/amy")
    assert "are left out" in page


def test_bots_left_out_are_named_with_the_reason(
    olga: FlaskClient, ada: FlaskClient, sqlite_store: Store
) -> None:
    opens(olga, bots_per_author="3")
    for bot in ("ann", "amy", "ava"):
        does(ada, "enter", bot)
    with sqlite_store.write() as conn:
        bots.retire(conn, "ann")  # at the same moment as the start
        sign_up.close(conn, tournaments.lock(conn, 1), 20, time.time())

    page = ada.get("/tournaments/1").text
    assert "Standings" in page
    assert "Excluded at the start: ann (retired)." in page
    assert ada.get("/api/tournaments/1").get_json()["left_out"] == {"ann": "retired"}


def test_bots_left_out_are_named_if_too_few_remain(
    olga: FlaskClient, ada: FlaskClient, sqlite_store: Store
) -> None:
    opens(olga)
    for bot in ("ann", "amy"):
        does(ada, "enter", bot)
    with sqlite_store.write() as conn:
        bots.retire(conn, "ann")
        sign_up.close(conn, tournaments.lock(conn, 1), 20, time.time())

    page = ada.get("/tournaments/1").text
    assert "Cancelled at the start." in page
    assert "Excluded at the start: ann (retired)." in page
