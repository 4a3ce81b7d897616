"""Invitations: rights, links, limits, and what the organiser sees."""

import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from arena.base import instant
from arena.base.config import Settings
from arena.store import Store
from arena.store.registry import accounts, invitations
from arena.store.tournaments.departure import delete_account
from dashboard import create_app
from tests.integration.people import PASSWORD, bot_of, send

DAY_S = 86_400


@pytest.fixture
def app(sqlite_store: Store, redis_client: redis.Redis, redis_url: str) -> Flask:
    """A dashboard whose sign-up is closed."""
    settings = Settings(redis_url=redis_url, sign_up="closed")
    return create_app(settings, sqlite_store, redis_client)


def invites(olga: FlaskClient, **fields: str) -> TestResponse:
    asked = {"title": "Class 3b", "names": "", "places": "2", "days": "7", **fields}
    return send(olga, "/invitations", "/invitations", **asked)


def links(olga: FlaskClient) -> list[str]:
    """The paths of the links that still work, oldest first."""
    found = re.findall(r'<code class="digest">([^<]+)', olga.get("/invitations").text)
    return [urlsplit(html.unescape(each)).path for each in found][::-1]


def joins(app: Flask, link: str, name: str, password: str = PASSWORD) -> TestResponse:
    return send(app.test_client(), link, link, name=name, password=password)


def test_a_class_signs_up_by_one_link_until_it_is_full(
    app: Flask, olga: FlaskClient, sqlite_store: Store
) -> None:
    assert app.test_client().get("/sign-up").text.count("Sign-up is closed")
    assert invites(olga).status_code == 303
    (link,) = links(olga)
    assert "Class 3b" in app.test_client().get(link).text
    for name in ("ann", "bob"):
        answer = joins(app, link, name)
        assert (answer.status_code, answer.location) == (303, "/my/bots")
    assert links(olga) == []
    assert app.test_client().get(link).status_code == 409
    bot_of(sqlite_store, "ann", "ant")
    page = olga.get("/invitations").text
    assert "2 of 2 places taken" in page
    assert "<bdi>ann</bdi>: <bdi>ant</bdi>" in page
    assert "<bdi>bob</bdi>: no bot yet" in page


def test_each_name_gets_a_link_that_works_once(app: Flask, olga: FlaskClient) -> None:
    invites(olga, names="ann, bob\r\nann\n")
    first, second = links(olga)
    assert 'value="ann"' in app.test_client().get(first).text
    assert joins(app, first, "ann").status_code == 303
    assert joins(app, second, "another-name").status_code == 303
    assert links(olga) == []
    for name in ("ann", "eve"):
        assert app.test_client().post(first, data={"name": name}).status_code in (400, 409)


def test_an_arena_without_a_mail_server_offers_to_write_to_an_address(
    app: Flask, olga: FlaskClient
) -> None:
    invites(olga, title="A & B", names="eve@mail.example")
    (link,) = links(olga)
    (written,) = re.findall(r'href="mailto:([^"]+)"', olga.get("/invitations").text)
    to, _, query = html.unescape(written).partition("?")
    assert to == "eve@mail.example"
    assert parse_qs(query)["subject"] == ["A & B"]
    assert parse_qs(query)["body"][0].endswith(link)
    assert invites(olga, names="gus@mail.example Gus@Mail.example").status_code == 303
    assert len(links(olga)) == 2
    again = invites(olga, names="bob Eve@mail.example")
    assert again.status_code == 400
    assert "eve@mail.example has an invitation already." in again.text
    assert joins(app, link, "eve").status_code == 303
    assert invites(olga, names="eve@mail.example").status_code == 303


def test_two_people_cannot_take_the_last_place(
    app: Flask, olga: FlaskClient, sqlite_store: Store
) -> None:
    invites(olga, places="1")
    (link,) = links(olga)
    late = app.test_client()
    late.get(link)  # the form is open
    assert joins(app, link, "ann").status_code == 303
    with sqlite_store.write() as conn, pytest.raises(Exception, match="All places"):
        invitations.sign_up(conn, 1, "eve", "hash", instant.now())
    with sqlite_store.read() as conn:
        assert accounts.find(conn, "eve") is None


def test_links_end_and_expire(
    app: Flask, olga: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    invites(olga)
    invites(olga)
    ended, expired = links(olga)
    assert send(olga, "/invitations/1/end", "/invitations").status_code == 303
    assert "has expired" in app.test_client().get(ended).text
    assert links(olga) == [expired]
    later = instant.now() + 7 * DAY_S
    monkeypatch.setattr(instant, "now", lambda: later)
    assert app.test_client().get(expired).status_code == 409


@pytest.mark.parametrize("link", ["/join/1", "/join/MQ.x", "/join/Mg.AAAA"])
def test_links_cannot_be_guessed(app: Flask, olga: FlaskClient, link: str) -> None:
    invites(olga)
    answer = app.test_client().get(link)
    assert answer.status_code == 404
    assert "Copy the whole link" in answer.text


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"title": " "}, "must have 1 to 80"),
        ({"title": "x" * 81}, "must have 1 to 80"),
        ({"places": "0"}, "Choose 1 to 500"),
        ({"places": "many"}, "is not a number of places"),
        ({"days": "367"}, "Choose 1 to 366"),
        ({"names": "a b/c"}, "b/c"),
        ({"names": "a@b@c.example"}, "a@b@c.example&#34; is not an e-mail address"),
        ({"names": " ".join(f"n{n}" for n in range(501))}, "501 names"),
    ],
)
def test_impossible_invitations_are_refused(
    olga: FlaskClient, wrong: dict[str, str], why: str
) -> None:
    answer = invites(olga, **wrong)
    assert answer.status_code == 400
    assert why in answer.text
    assert links(olga) == []


def test_bad_names_and_passwords_are_told_and_cost_no_place(app: Flask, olga: FlaskClient) -> None:
    invites(olga, places="1")
    (link,) = links(olga)
    assert joins(app, link, "olga").status_code == 400
    assert joins(app, link, "ann", "short").status_code == 400
    assert joins(app, link, "ann").status_code == 303


def test_a_deleted_account_leaves_its_invitation(
    app: Flask, olga: FlaskClient, sqlite_store: Store
) -> None:
    invites(olga, places="1")
    (link,) = links(olga)
    joins(app, link, "ann")
    with sqlite_store.write() as conn:
        delete_account(conn, accounts.by_name(conn, "ann").id, instant.now())
    assert links(olga) == [link]
