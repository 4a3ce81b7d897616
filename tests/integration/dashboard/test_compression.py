"""Pages and files are sent compressed to who takes that, unless a secret is in them."""

import gzip
import re

import pytest
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.store import Store
from dashboard import create_app
from tests.integration.played import play, register

GZIP = {"Accept-Encoding": "gzip, deflate, br"}


@pytest.fixture
def browser(sqlite_store: Store) -> FlaskClient:
    register(sqlite_store, "ada", "bob")
    play(sqlite_store, "ada", "bob")
    return create_app(Settings(), sqlite_store, None).test_client()


@pytest.mark.parametrize("path", ["/", "/tournaments/1", "/api/matches", "/bots", "/json"])
def test_gzip_has_the_same_content_in_fewer_bytes(browser: FlaskClient, path: str) -> None:
    plain, small = browser.get(path), browser.get(path, headers=GZIP)

    assert "Content-Encoding" not in plain.headers
    assert small.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in plain.headers["Vary"]
    assert "Accept-Encoding" in small.headers["Vary"]
    assert int(small.headers["Content-Length"]) == len(small.data) < 0.6 * len(plain.data)
    ages = re.compile(r"\d+ (seconds?|minutes?) ago|just now|data-mark=\"\w+\"")
    assert ages.sub("", gzip.decompress(small.data).decode()) == ages.sub("", plain.text)


def test_browsers_that_refuse_gzip_do_not_get_it(browser: FlaskClient) -> None:
    for refused in ("identity", "gzip;q=0", "br", ""):
        answer = browser.get("/json", headers={"Accept-Encoding": refused})
        assert "Content-Encoding" not in answer.headers


def test_each_form_has_an_etag_of_its_own_that_brings_304(browser: FlaskClient) -> None:
    plain, small = browser.get("/json"), browser.get("/json", headers=GZIP)
    known = {"If-None-Match": small.headers["ETag"]}

    again = browser.get("/json", headers=GZIP | known)

    assert plain.headers["ETag"] != small.headers["ETag"]
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == small.headers["ETag"]
    assert "Accept-Encoding" in again.headers["Vary"]
    assert browser.get("/json", headers=known).status_code == 200  # it asks for the other form


def test_head_tells_the_length_of_what_get_would_send(browser: FlaskClient) -> None:
    got, told = browser.get("/json", headers=GZIP), browser.head("/json", headers=GZIP)

    assert told.headers["Content-Length"] == got.headers["Content-Length"]
    assert told.headers["ETag"] == got.headers["ETag"]


def test_a_page_with_a_forms_token_is_sent_as_it_is(browser: FlaskClient) -> None:
    for path in ("/sign-in", "/sign-up"):
        answer = browser.get(path, headers=GZIP)

        assert 'name="csrf_token"' in answer.text
        assert "Content-Encoding" not in answer.headers


def test_a_stream_of_events_is_not_held_back(browser: FlaskClient) -> None:
    answer = browser.get("/events?topic=home", headers=GZIP)

    assert answer.mimetype == "text/event-stream"
    assert "Content-Encoding" not in answer.headers
    assert next(iter(answer.iter_encoded())).startswith(b"retry:")
    answer.close()


def test_stylesheets_and_scripts_are_compressed_once_and_last(browser: FlaskClient) -> None:
    addresses = re.findall(r'(?:src|href)="(/static/[^"]+\.(?:js|css))"', browser.get("/").text)

    assert addresses
    for address in addresses:
        plain = browser.get(address, buffered=True)
        small = browser.get(address, headers=GZIP, buffered=True)
        assert gzip.decompress(small.data) == plain.data
        assert small.cache_control.immutable
        assert small.mimetype == plain.mimetype
        assert "Accept-Encoding" in plain.headers["Vary"]
        known = GZIP | {"If-None-Match": small.headers["ETag"]}
        assert browser.get(address, headers=known, buffered=True).status_code == 304
