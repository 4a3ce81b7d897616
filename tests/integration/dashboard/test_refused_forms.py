"""Refused forms: the title says so, and a summary with the focus links to the wrong fields."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.store import Store
from dashboard import create_app
from tests.integration.people import PASSWORD, bot_of, csrf, person, send
from tests.integration.played import play, register

SUMMARY = r'<div class="form-problem" role="alert" tabindex="-1" autofocus>(.*?)</div>'


@pytest.fixture
def app(sqlite_store: Store) -> Flask:
    register(sqlite_store, "bob", "cyd")
    play(sqlite_store, "bob", "cyd")
    return create_app(Settings(), sqlite_store, None)


@pytest.fixture
def ada(app: Flask, sqlite_store: Store) -> FlaskClient:
    """An organiser with a bot."""
    browser = person(app, sqlite_store, "ada", organiser=True)
    bot_of(sqlite_store, "ada", "nora")
    return browser


def summary(page: str) -> list[str]:
    """The ids that the summary links to."""
    assert "<title>Error: " in page
    (found,) = re.findall(SUMMARY, page, re.DOTALL)
    assert page.index(found) < page.index("<h1")
    return re.findall(r'href="#([^"]+)"', found)


def element(page: str, id_: str) -> str:
    (tag,) = re.findall(rf'<[^<>]* ?id="{id_}"[^<>]*>', page)
    return str(tag)


SHORT = {"password": "short"}
FORMS: tuple[tuple[str, dict[str, str], list[str]], ...] = (
    ("/sign-up", {"name": "a b", "password": PASSWORD}, ["field-name"]),
    ("/sign-up", {"name": "ada", "password": PASSWORD}, ["field-name"]),
    ("/sign-up", {"name": "eve", **SHORT}, ["field-password"]),
    ("/reset-password/new", {}, []),
    ("/my/bots/-/new", {"name": "a b"}, ["field-name"]),
    ("/my/bots/nora/version", {"version": "a b"}, ["field-version"]),
    ("/account/password", {"old": PASSWORD, "new": "short"}, ["field-new"]),
    ("/account/password", {"old": "wrong", "new": PASSWORD}, ["field-old"]),
    ("/account/delete", {"name": "eve", "old": PASSWORD}, ["field-name"]),
    ("/account/webhooks", {"url": "no"}, ["field-url"]),
    ("/account/public", {"public": "yes", "about": "x" * 301}, ["field-about"]),
    ("/account/public", {"public": "yes", "link": "no"}, ["field-link"]),
    ("/my/bots/nora/description", {"description": "x" * 301}, ["field-description"]),
    ("/my/bots/nora/description", {"link": "no"}, ["field-link"]),
    ("/my/bots/nora/submissions", {}, ["field-file"]),
    ("/my/bots/nora/submissions", {"label": "a b"}, ["field-label"]),
    ("/my/bots/nora/submissions/-/editor", {"program": "x", "label": "a b"}, ["field-label"]),
    ("/tournaments/1/discussion", {"text": " "}, ["field-text"]),
)


@pytest.mark.parametrize(("path", "fields", "wrong"), FORMS)
def test_refused_form_says_so_and_links_to_its_wrong_field(
    ada: FlaskClient, path: str, fields: dict[str, str], wrong: list[str]
) -> None:
    answer = send(ada, path, **fields)

    assert answer.status_code == 400
    assert summary(answer.text) == wrong
    for id_ in wrong:
        field = element(answer.text, id_)
        assert 'aria-invalid="true"' in field
        (described,) = re.findall(r'aria-describedby="([^"]+)"', field)
        assert f"{id_}-error" in described
        assert all(element(answer.text, each) for each in described.split())


def test_refused_program_is_linked_by_its_label(ada: FlaskClient) -> None:
    page = send(ada, "/my/bots/nora/submissions/-/editor", program=" ").text

    assert summary(page) == ["label-program"]  # the editor of a script replaces the field
    field = element(page, "field-program")
    assert 'aria-describedby="field-program-hint field-program-error" aria-invalid="true"' in field
    assert element(page, "field-program-error")


def test_refused_sign_in_links_to_the_name(app: Flask) -> None:
    answer = send(app.test_client(), "/sign-in", name="ada", password="wrong")

    assert summary(answer.text) == ["field-name"]


def test_refused_tournament_links_to_each_wrong_field(ada: FlaskClient) -> None:
    fields = {"game": "lama", "format": "none", "seats": "x", "open": "yes"}
    answer = ada.post("/tournaments", data={**fields, "csrf_token": csrf(ada)})

    assert answer.status_code == 400
    found = summary(answer.text)
    assert {"field-format", "field-seats", "field-starts_at"} <= set(found)
    for id_ in found:
        assert 'aria-invalid="true"' in element(answer.text, id_)


def test_tick_of_a_refused_tournament_is_invalid(ada: FlaskClient) -> None:
    fields = {"every": "week", "bots": ["bob", "cyd"]}
    answer = ada.post("/tournaments", data={**fields, "csrf_token": csrf(ada)})

    assert "field-open" in summary(answer.text)
    assert 'aria-describedby="field-open-hint wrong-open"' in element(answer.text, "field-open")
    assert 'aria-invalid="true"' in element(answer.text, "field-open")


def test_form_without_errors_has_no_summary(ada: FlaskClient) -> None:
    for path in ("/tournaments/new", "/account", "/my/bots/nora", "/tournaments/1/discussion"):
        page = ada.get(path).text
        assert "<title>Error: " not in page
        assert not re.findall(SUMMARY, page, re.DOTALL)
