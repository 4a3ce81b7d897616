"""Permissions of every route. A route that is not listed here fails the test."""

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from arena.base.config import Settings
from arena.store import Store
from dashboard import create_app
from tests.integration import addresses
from tests.integration.people import bot_of, csrf, person
from tests.integration.played import play, register

# Every route that changes something, by endpoint: who may.
CHANGES = {
    "new_tournament.preview": "organiser",
    "new_tournament.create": "organiser",
    "invitations.invite": "organiser",
    "invitations.end": "organiser",
    "invitations.joined": "anybody",
    "series.end": "organiser",
    "discussion.write": "signed in",
    "discussion.delete": "signed in",
    "conduct.cancel": "organiser",
    "conduct.resume": "organiser",
    "conduct.set_priority": "organiser",
    "conduct.enter": "signed in",
    "conduct.withdraw": "signed in",
    "account.signed_up": "anybody",
    "account.signed_in_now": "anybody",
    "account.sign_out": "anybody",
    "account.sign_out_everywhere": "signed in",
    "account.change_password": "signed in",
    "elsewhere.arrived": "anybody",  # who comes from a provider
    "elsewhere.begin_to_link": "signed in",
    "elsewhere.unlink": "signed in",
    "leaving.delete": "signed in",
    "email.change": "signed in",
    "email.remove": "signed in",
    "email.choose": "signed in",
    "email.confirm": "anybody",  # with the link that was sent
    "reset.asked": "anybody",
    "reset.choose": "anybody",  # with the link that was sent
    "unsubscribe.off": "anybody",  # with the link that was sent
    "webhooks.add": "signed in",
    "webhooks.try_out": "owner",  # see test_webhooks.py
    "webhooks.switch": "owner",
    "webhooks.renew": "owner",
    "webhooks.delete": "owner",
    "mine.create": "signed in",
    "mybot.rotate": "owner",
    "mybot.new_version": "owner",
    "mybot.retire": "owner",
    "mybot.bring_back": "owner",
    "mybot.come_back": "owner",
    "mybot.share_notes": "owner",
    "mybot.delete_notes": "owner",
    "describe.save": "owner",
    "describe.remove": "organiser",
    "describe.hide_notes": "organiser",
    "author.publish": "signed in",
    "author.remove": "organiser",
    "trial.begin": "owner",
    "submissions.upload": "owner",
    "submission.roll_back": "owner",
    "editor.submit": "owner",
    "theme.choose": "anybody",
    "review.ask": "anybody",
    "play.sit": "anybody",
    "play.act": "player",  # see test_play.py
    "play.hint": "player",
    "play.leave": "player",
    "play.claim": "anybody",  # 403 without an account
    "daily.play": "anybody",
    "friends.create": "anybody",
    "friends.join": "anybody",  # with the link
    "friends.ready": "player",  # see test_friends.py
    "friends.leave": "player",
    "friends.remove": "player",
    "friends.start": "player",
    "friends.close": "player",
    "friends.again": "player",
    "people.choose": "signed in",
    "puzzles.make": "anybody",
    "puzzles.hint": "anybody",
    "puzzles.answer": "anybody",
}
# Routes that are read-only but not public.
PRIVATE = {
    "new_tournament.show": "organiser",
    "invitations.show": "organiser",
    "conduct.ask_to_cancel": "organiser",
    "conduct.ask_to_resume": "organiser",
    "account.show": "signed in",
    "leaving.export": "signed in",
    "leaving.ask": "signed in",
    "webhooks.show": "signed in",
    "author.edit": "signed in",
    "mine.show": "signed in",
    "mine.live": "signed in",
    "mine.new": "signed in",
    "mybot.show": "owner",
    "mybot.live": "owner",
    "trial.show": "owner",
    "trial.live": "owner",
    "submissions.show": "owner",
    "submissions.live": "owner",
    "submission.show": "owner",
    "submission.live": "owner",
    "submission.source": "owner",
    "editor.show": "owner",
    "runs.show": "owner",
    "runs.live": "owner",
    "runs.as_json": "owner",
    "run.show": "owner",
    "run.output": "owner",
    "play.table": "player",
    "play.live": "player",
}


@pytest.fixture
def app(sqlite_store: Store) -> Flask:
    """An arena with a tournament, in which ada has a bot."""
    register(sqlite_store, "one", "two")
    play(sqlite_store, "one", "two")
    return create_app(Settings(), sqlite_store, None)


@pytest.fixture
def ada(app: Flask, sqlite_store: Store) -> FlaskClient:
    browser = person(app, sqlite_store, "ada")
    bot_of(sqlite_store, "ada", "hers")
    return browser


@pytest.fixture
def bob(app: Flask, sqlite_store: Store, ada: FlaskClient) -> FlaskClient:
    """A signed-in user without special rights."""
    return person(app, sqlite_store, "bob")


@pytest.fixture
def organiser(app: Flask, sqlite_store: Store, ada: FlaskClient) -> FlaskClient:
    """An organiser, who has no rights over the bots of others."""
    return person(app, sqlite_store, "olga", organiser=True)


def address(rule: Rule) -> str:
    return addresses.address(rule, name="hers", match="m")


def changing(app: Flask) -> Iterator[Rule]:
    for rule in app.url_map.iter_rules():
        if (rule.methods or set()) - {"GET", "HEAD", "OPTIONS"}:
            yield rule


def routes(app: Flask, listed: dict[str, str], *rights: str) -> Iterator[tuple[Rule, str]]:
    for rule in app.url_map.iter_rules():
        if listed.get(rule.endpoint) in rights:
            yield rule, address(rule)


def test_every_route_that_changes_something_is_listed_with_its_right(app: Flask) -> None:
    assert {rule.endpoint for rule in changing(app)} == set(CHANGES)


def test_private_pages_exist(app: Flask) -> None:
    assert set(PRIVATE) <= {rule.endpoint for rule in app.url_map.iter_rules()}


# Routes that only change this browser's theme, or have a secret in their address.
HARMLESS = {"theme.choose", "unsubscribe.off"}


def test_every_form_needs_its_token(app: Flask, ada: FlaskClient, organiser: FlaskClient) -> None:
    for rule in changing(app):
        if rule.endpoint in HARMLESS:
            continue
        for browser in (app.test_client(), ada, organiser):
            answer = browser.post(address(rule), data={"name": "x", "csrf_token": "made up"})
            assert answer.status_code == 400, rule
            assert "did not come from this site" in answer.text


def test_signed_out_visitor_cannot_change_anything_and_is_asked_to_sign_in(
    app: Flask, ada: FlaskClient
) -> None:
    stranger = app.test_client()
    token = csrf(stranger)

    for rule, path in routes(app, CHANGES, "signed in", "owner", "organiser"):
        answer = stranger.post(path, data={"csrf_token": token})
        assert (answer.status_code, answer.location) == (303, "/sign-in"), rule
        part = stranger.post(path, data={"csrf_token": token}, headers={"HX-Request": "true"})
        assert part.status_code == 401, rule


def test_visitor_returns_to_the_page_after_signing_in(app: Flask, ada: FlaskClient) -> None:
    for rule, path in routes(app, PRIVATE, "signed in", "owner", "organiser"):
        answer = app.test_client().get(path)
        assert (answer.status_code, answer.location) == (303, f"/sign-in?next={path}"), rule


def test_bots_of_others_look_nonexistent(
    app: Flask, bob: FlaskClient, organiser: FlaskClient
) -> None:
    for browser in (bob, organiser):
        token = csrf(browser)
        for rule, path in routes(app, CHANGES, "owner"):
            found = browser.post(path, data={"csrf_token": token})
            missing = browser.post(path.replace("hers", "none"), data={"csrf_token": token})
            assert found.status_code == missing.status_code == 404, rule
            assert found.text.replace("hers", "none") == missing.text
        for rule, path in routes(app, PRIVATE, "owner"):
            found, missing = browser.get(path), browser.get(path.replace("hers", "none"))
            assert found.status_code == missing.status_code == 404, rule


def test_organisers_actions_are_refused_to_others(app: Flask, bob: FlaskClient) -> None:
    token = csrf(bob)

    for rule, path in routes(app, CHANGES, "organiser"):
        answer = bob.post(path, data={"csrf_token": token})
        assert answer.status_code == 403, rule
        assert "Only organisers" in answer.text
    for rule, path in routes(app, PRIVATE, "organiser"):
        assert bob.get(path).status_code == 403, rule


def test_nothing_under_api_can_be_written(app: Flask) -> None:
    assert not [rule for rule in changing(app) if rule.rule.startswith("/api")]


@pytest.mark.usefixtures("small_package")
def test_responses_contain_no_tokens_or_passwords(
    app: Flask, ada: FlaskClient, sqlite_store: Store
) -> None:
    _, secret = bot_of(sqlite_store, "ada", "second")

    for rule in app.url_map.iter_rules():
        if "GET" in (rule.methods or ()) and rule.endpoint != "events.stream":
            data = ada.get(address(rule), buffered=True).get_data()
            assert secret.encode() not in data, rule
            assert b"argon2id" not in data, rule
