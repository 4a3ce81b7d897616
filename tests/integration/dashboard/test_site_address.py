"""The website's address in answers cannot be forged by a request."""

import re
import time
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

import dashboard
from arena.base.config import Settings
from arena.store import Store
from arena.store.tournaments import creation
from arena.tournaments.formats import TournamentSpec, check_spec
from dashboard import create_app
from dashboard.docs import assistants
from tests.integration.api_world import filled

EVIL = "evil.example"
KNOWN = "https://arena.example"
PARTS: dict[str, Any] = {
    "name": "ada", "number": 1, "language": "python", "entry": "bots", "run": 1,
}  # fmt: skip
# These have the address of the website in them.
SHOWN = ("/feed", "/calendar.ics", "/sdk", "/sdk/python", "/llms.txt", "/docs/bots", "/")


@pytest.fixture(autouse=True)
def arena(sqlite_store: Store, small_package: None) -> None:
    """With a tournament in the calendar."""
    filled(sqlite_store)
    spec = check_spec(TournamentSpec(bots=("ada", "bob"), seats=2))
    with sqlite_store.write() as conn:
        creation.create(conn, spec, starts_at=time.time() + 86_400)


@pytest.fixture
def asked(sqlite_store: Store) -> Flask:
    return create_app(Settings(host="0.0.0.0"), sqlite_store, None)


def paths(app: Flask) -> list[str]:
    """An address of each page that can be read, and of some that do not exist."""
    urls = app.url_map.bind("localhost")
    found = ["/nothing", "//docs//bots", "/docs/bots/", "/docs/bots.md"]
    for rule in app.url_map.iter_rules():
        values = {name: PARTS.get(name, "other") for name in rule.arguments}
        if "GET" in (rule.methods or ()):
            found.append(urls.build(rule.endpoint, values))
    return sorted(set(found))


def fetched(app: Flask, path: str, host: str) -> tuple[TestResponse, bytes]:
    answer = app.test_client().get(path, headers={"Host": host, "X-Forwarded-Host": host})
    streams = answer.mimetype == "text/event-stream"
    text = str(answer.headers).encode() + (b"" if streams else answer.data)
    answer.close()
    return answer, text


def test_an_answer_with_the_host_of_its_request_is_for_that_visitor_alone(asked: Flask) -> None:
    shown = set()
    for path in paths(asked):
        answer, text = fetched(asked, path, EVIL)
        if EVIL.encode() in text:
            shown.add(path)
            assert answer.cache_control.private, path
            assert not answer.cache_control.public, path
        assert EVIL.encode() not in fetched(asked, path, "good.example")[1], path

    assert shown >= set(SHOWN)


def test_with_a_public_url_no_answer_has_the_host_of_its_request(sqlite_store: Store) -> None:
    settings = Settings(host="0.0.0.0", public_url=f"{KNOWN}/")
    for app in (
        create_app(settings, sqlite_store, None),
        create_app(settings.model_copy(update={"proxies": 1}), sqlite_store, None),
    ):
        for path in paths(app):
            assert EVIL.encode() not in fetched(app, path, EVIL)[1], path
        for path in SHOWN:
            assert b"arena.example" in fetched(app, path, EVIL)[1], path
        for path in ("/feed", "/calendar.ics"):
            assert fetched(app, path, EVIL)[0].cache_control.public, path
        assert f"{KNOWN}/bots/ada" in fetched(app, "/feed", EVIL)[1].decode()
        assert f'content="{KNOWN}/bots/ada?seats=3"' in (
            fetched(app, "/bots/ada?seats=3", EVIL)[1].decode()
        )


def test_no_other_module_asks_for_the_host_of_the_request() -> None:
    folder = Path(dashboard.__file__).parent
    asks = re.compile(r"_external|request\.(url|base_url|url_root|root_url|host\w*)\b")
    found = {
        file.relative_to(folder).as_posix()
        for pattern in ("*.py", "*.html", "*.txt")
        for file in folder.rglob(pattern)
        if asks.search(file.read_text()) and "pages" not in file.parts
    }

    # The second refuses all hosts but its own machine.
    assert found == {"site.py", "replay_alone/app.py"}


def test_other_hosts_do_not_have_the_text_for_assistants_made_again(
    asked: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    before = assistants.outlines

    def counted() -> str:
        made.append(1)
        return before()

    monkeypatch.setattr(assistants, "outlines", counted)
    assistants.template.cache_clear()

    for number in range(20):
        text = fetched(asked, f"/docs/{assistants.NAME}", f"host{number}.example")[1].decode()
        assert f"http://host{number}.example/sdk" in text

    assert len(made) == 1
