"""One's own bots on the dashboard: made, connected, versioned, retired."""

import asyncio
import html
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
import redis
import redis.asyncio
from flask import Flask
from flask.testing import FlaskClient
from google.protobuf import json_format
from sqlalchemy import Connection

from arena.base.config import Settings
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk import play
from arena.service.live.player_presence import Presence
from arena.service.live.presence import beat, claim
from arena.store import Store
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from dashboard import create_app
from tests.integration.people import PASSWORD, bot_of, csrf, person, send


@pytest.fixture
def app(sqlite_store: Store, redis_client: redis.Redis) -> Flask:
    """The dashboard of an arena that runs."""
    return create_app(Settings(), sqlite_store, redis_client)


@pytest.fixture
def ada(app: Flask, sqlite_store: Store) -> FlaskClient:
    return person(app, sqlite_store, "ada")


def create(browser: FlaskClient, name: str) -> str:
    """Makes a bot; gives the page that it leads to."""
    data = {"name": name, "csrf_token": csrf(browser)}
    return browser.post("/my/bots/-/new", data=data, follow_redirects=True).text


def press(browser: FlaskClient, what: str, name: str = "nora", **fields: str) -> str:
    """Presses a button on the bot's page; gives the page it leads to."""
    data = {**fields, "csrf_token": csrf(browser, f"/my/bots/{name}")}
    return browser.post(f"/my/bots/{name}/{what}", data=data, follow_redirects=True).text


A_TOKEN = re.compile(r"lama_(?!arena-|\.\.\.)")


def token_in(text: str) -> str:
    (found,) = set(re.findall(r"lama_[\w-]{32}", text))
    return str(found)


def connected(url: str, bot: RegisteredBot, **changes: Any) -> None:
    here = Presence(
        player=bot.player, bot=bot.name, version=bot.version, gateway="g1", session="",
        since=1000.0, games=("lama",), min_seats=2, max_seats=4, max_in_flight=8,
        sdk="lama-arena-python/1", in_flight=2, latency_ms=3.0,
    )  # fmt: skip

    async def go() -> None:
        async with redis.asyncio.Redis.from_url(url) as client:
            await beat(client, "g1")
            await claim(client, replace(here, **changes))

    asyncio.run(go())


def test_a_new_bot_shows_its_token_once(ada: FlaskClient, sqlite_store: Store) -> None:
    made = send(ada, "/my/bots/-/new", "/my/bots/-/new", name="nora")
    assert (made.status_code, made.location) == (303, "/my/bots/nora?done=made")
    assert "lama_" not in made.text
    assert ada.head("/my/bots/nora").status_code == 200

    answer = ada.get(made.location)

    token = token_in(answer.text)
    with sqlite_store.read() as conn:
        bot = bots.by_token(conn, token)
    assert bot is not None
    assert bot.name == "nora"
    assert f"export ARENA_TOKEN={token}" in answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    assert token not in str(ada.get_cookie("arena_session"))
    again = ada.get(made.location)
    assert (again.status_code, again.headers["Cache-Control"]) == (200, "no-store")
    assert "was shown once and cannot be shown again" in again.text
    assert "Create new token" in again.text
    assert "export ARENA_TOKEN=lama_..." in again.text
    assert token not in again.text
    assert "was shown once" not in ada.get("/my/bots/nora").text
    assert 'href="/my/bots/nora"' in ada.get("/my/bots").text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "not a valid bot name"),
        ("<script>alert(1)</script>", "not a valid bot name"),
        ("nora\u202e\u200f", "not a valid bot name"),
        ("n" * 41, "not a valid bot name"),
        ("Five", "name of a house bot"),
        ("f1ve", "looks like, the name of a house bot"),
        ("Adm1n", "is reserved"),
        ("TAKEN", "already exists"),
    ],
)
def test_a_bot_that_cannot_be_made_is_told_why(
    ada: FlaskClient, sqlite_store: Store, name: str, said: str
) -> None:
    with sqlite_store.write() as conn:
        bots.register(conn, "taken")

    answer = send(ada, "/my/bots/-/new", "/my/bots/-/new", name=name)

    assert answer.status_code == 400
    assert said in answer.text
    assert "<script>alert" not in answer.text
    assert "lama_" not in answer.text


def test_a_name_of_40_characters_is_harmless_on_every_page(ada: FlaskClient) -> None:
    name = "-".join(["wide"] * 8) + "Z"

    assert token_in(create(ada, name))
    assert name in ada.get("/my/bots").text
    assert ada.get(f"/my/bots/{name}").status_code == 200


def test_a_new_token_voids_the_old_one(ada: FlaskClient, sqlite_store: Store) -> None:
    old = token_in(create(ada, "nora"))

    new = token_in(press(ada, "token"))

    with sqlite_store.read() as conn:
        assert bots.by_token(conn, old) is None
        assert bots.by_token(conn, new) is not None


def test_reloading_the_page_with_a_new_token_sends_no_form_again(
    ada: FlaskClient, sqlite_store: Store
) -> None:
    create(ada, "nora")
    data = {"csrf_token": csrf(ada, "/my/bots/nora")}

    rotated = ada.post("/my/bots/nora/token", data=data)
    assert (rotated.status_code, rotated.location) == (303, "/my/bots/nora?done=token")
    shown = ada.get(rotated.location)
    again = ada.get(rotated.location)

    assert "The old token no longer works" in shown.text
    with sqlite_store.read() as conn:
        assert bots.by_token(conn, token_in(shown.text)) is not None
    assert not A_TOKEN.search(again.text)


def test_a_new_token_is_shown_in_the_browser_that_made_it_only(
    app: Flask, ada: FlaskClient
) -> None:
    elsewhere = app.test_client()
    send(elsewhere, "/sign-in", name="ada", password=PASSWORD)
    made = send(ada, "/my/bots/-/new", "/my/bots/-/new", name="nora")

    assert "was shown once" in elsewhere.get(made.location).text
    assert token_in(ada.get(made.location).text)


def test_the_page_of_another_bot_does_not_take_it(ada: FlaskClient, sqlite_store: Store) -> None:
    bot_of(sqlite_store, "ada", "other")
    made = send(ada, "/my/bots/-/new", "/my/bots/-/new", name="nora")

    assert not A_TOKEN.search(ada.get("/my/bots/other").text)
    assert token_in(ada.get(made.location).text)


def test_versions_are_made_and_counted(ada: FlaskClient) -> None:
    create(ada, "nora")

    assert "nora will play as version 2 once it reconnects" in press(ada, "version")
    assert "nora will play as version x-1" in press(ada, "version", version="x-1")
    wrong = press(ada, "version", version="x-1")
    assert "already has a version x-1" in wrong
    assert 'value="x-1"' in wrong


def test_each_version_says_whether_it_is_connected(
    ada: FlaskClient, sqlite_store: Store, redis_url: str
) -> None:
    bot, _ = bot_of(sqlite_store, "ada", "nora")
    assert "ARENA_BOT_VERSION=" not in ada.get("/my/bots/nora").text
    press(ada, "version")

    connected(redis_url, bot)

    shown = ada.get("/my/bots/nora").text
    lines = dict(re.findall(r"<li>(\S+) .*?link-(\w+)", shown))
    assert lines == {"2": "offline", "1": "connected"}
    assert "ARENA_BOT_VERSION=1 python nora.py" in shown


def test_a_retired_bot_is_in_no_list_but_its_owners_and_comes_back(
    ada: FlaskClient, app: Flask
) -> None:
    create(ada, "nora")
    everybody = app.test_client()
    assert 'href="/bots/nora"' in everybody.get("/bots").text

    assert "nora is retired" in press(ada, "retire")

    assert 'href="/bots/nora"' not in everybody.get("/bots").text
    assert "nora" not in everybody.get("/api/bots").text
    assert '<span class="tag quiet">retired</span>' in everybody.get("/bots/nora").text
    assert "This is your bot" in ada.get("/bots/nora").text
    assert "This is your bot" not in everybody.get("/bots/nora").text
    assert "retired" in ada.get("/my/bots").text
    assert 'id="connect"' not in ada.get("/my/bots/nora").text

    assert "nora is reinstated" in press(ada, "bring-back")
    assert 'href="/bots/nora"' in everybody.get("/bots").text


def test_the_page_turns_green_when_the_bot_connects(
    ada: FlaskClient, sqlite_store: Store, redis_url: str
) -> None:
    bot, _ = bot_of(sqlite_store, "ada", "nora")
    before = ada.get("/my/bots/nora").text

    connected(redis_url, bot)

    (address,) = re.findall(r'id="live"[^>]* hx-get="([^"]+)"', before)
    after = ada.get(address).text
    assert "connected-offline" in before
    assert "connected-connected" in after
    assert "answers in 3 ms" in after
    assert "playing 2 matches" in after
    assert "connected" in ada.get("/my/bots/-/live").text
    assert "lama-arena-python/1" in ada.get("/bots/nora/live").text


def test_the_page_says_so_where_the_arena_does_not_run(sqlite_store: Store) -> None:
    ada = person(create_app(Settings(), sqlite_store, None), sqlite_store, "ada")
    create(ada, "nora")

    assert "the arena is not running" in ada.get("/my/bots/nora").text


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({}, "127.0.0.1:7420"),
        ({"host": "0.0.0.0", "port": 9}, "localhost:9"),
        ({"tls_cert": "cert.pem"}, "grpcs://127.0.0.1:7420"),
        ({"gateway_url": "grpcs://bots.example:443"}, "grpcs://bots.example:443"),
    ],
)
def test_page_shows_the_gateway_address(
    sqlite_store: Store, settings: dict[str, Any], shown: str
) -> None:
    app = create_app(Settings(**settings), sqlite_store, None)
    ada = person(app, sqlite_store, "ada")
    create(ada, "nora")

    assert f"export ARENA_URL={shown}\n" in ada.get("/my/bots/nora").text


def test_an_account_has_room_for_many_bots_but_not_for_any_number(
    sqlite_store: Store,
) -> None:
    app = create_app(Settings(bots_per_account=2), sqlite_store, None)
    ada = person(app, sqlite_store, "ada")
    for name in ("one", "two"):
        assert token_in(create(ada, name))

    assert "at most 2 bots" in create(ada, "three")


def test_two_forms_at_once_do_not_make_one_bot_too_many(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(Settings(bots_per_account=1), store, None)
    person(app, store, "ada")
    both, owned_by = Barrier(2), bots.owned_by

    def slowly(conn: Connection, account: int) -> list[RegisteredBot]:
        found = owned_by(conn, account)
        with suppress(BrokenBarrierError):  # unless the other one waits for this one
            both.wait(1)
        return found

    monkeypatch.setattr(bots, "owned_by", slowly)
    browsers = [app.test_client(), app.test_client()]
    for browser in browsers:
        assert send(browser, "/sign-in", name="ada", password=PASSWORD).status_code == 303
    tokens = [csrf(browser) for browser in browsers]

    def make(number: int) -> int:
        fields = {"name": f"bot-{number}", "csrf_token": tokens[number]}
        return browsers[number].post("/my/bots/-/new", data=fields).status_code

    with ThreadPoolExecutor(2) as pool:
        answers = sorted(pool.map(make, range(2)))

    assert answers == [303, 400]


def snippets(page: str) -> list[str]:
    """The texts to copy on a page."""
    return [html.unescape(text) for text in re.findall(r"<pre[^>]*><code>(.*?)</code>", page, re.S)]


def test_the_program_on_the_page_plays(ada: FlaskClient) -> None:
    create(ada, "nora")
    install, program, commands, _ = snippets(ada.get("/my/bots/nora").text)
    names: dict[str, Any] = {}

    exec(program, names)
    record = play([names["MyBot"](), names["MyBot"]()], seed=1)

    assert install.startswith("pip install http://localhost/sdk/lama_arena-")
    assert "python mybot.py" in commands
    assert record["result"]["faults"] == [None, None]


def test_the_command_for_any_language_says_a_hello_that_is_one(ada: FlaskClient) -> None:
    create(ada, "nora")
    page = ada.get("/my/bots/nora").text
    command = snippets(page)[3]
    (hello,) = re.findall(r"echo '(.*?)'", command)
    (answer,) = re.findall(r"<code>(\{.*?\})</code>", page)

    assert json_format.Parse(hello, pb.BotMessage()).hello.games == ["lama"]
    parsed = json_format.Parse(html.unescape(answer), pb.BotMessage())
    assert parsed.choices.choices[0].action == "draw"
    assert "-plaintext" in command
    assert command.endswith("arena.v1.Play/Connect")
