"""Database connections of the dashboard: one for each request, none for streams."""

import io
import math
import re
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from redis.connection import Connection as RedisConnection
from sqlalchemy import QueuePool
from werkzeug.test import TestResponse

from arena.base.config import Settings
from arena.games.rules import GAMES
from arena.hosting.submission.manifest import Manifest
from arena.store import Store, cache, open_store, upgrade_store
from arena.store.matches import matches
from arena.store.registry import accounts, bots, building, runs, sessions, submissions
from arena.store.registry.runs import NewRun, OutputPart, RunKind
from dashboard import create_app
from dashboard.events.broadcaster import STREAMS
from dashboard.serve import SPARE, made_server
from dashboard.sources import Database
from dashboard.system.http_server import STREAM
from dashboard.tournaments.create.form import blank
from tests.integration.addresses import FILLED, address
from tests.integration.people import HASHED, PASSWORD, bot_of, csrf, person
from tests.integration.played import play, register
from tests.integration.worker_world import FakeGateway

NAMES = ("ada", "bob", "cyd", "dan")
WAIT_S = 0.5
THREADS = 16


def opened(store: Store, connections: int, wait_s: float) -> Store:
    """The same database with this many connections."""
    url = store.url.render_as_string(hide_password=False)
    return open_store(url, connections=connections, wait_s=wait_s)


def used(store: Store) -> int:
    pool = store.engine.pool
    assert isinstance(pool, QueuePool)
    return pool.checkedout()


@pytest.fixture
def played(store: Store) -> list[str]:
    """A finished tournament and one that runs; olga's bot; the house's. Gives ids of matches."""
    register(store, *NAMES)
    play(store, *NAMES, seats=2, deals=2)
    play(store, *NAMES, seats=2, deals=2, only=3)
    with store.write() as conn:
        accounts.sign_up(conn, "olga", HASHED, organiser=True)
        for name in ("five", "sharp"):
            bots.register(conn, name, kind="house")
    bot_of(store, "olga", "hers")
    host(store, "hers")
    with store.read() as conn:
        return [row.id for row in matches.list_matches(conn)[0]]


def host(store: Store, name: str) -> None:
    """Adds an accepted upload of the bot and a report of its process."""
    with store.write() as conn:
        made = submissions.submit(conn, bots.get(conn, name), b"# hers", "uploaded")
        building.claim(conn, "h", 1e9, 60.0)
        manifest = Manifest(entry="bot.py")
        version = building.accept(conn, made.id, "h", b"tree", manifest, b"hello")
        parts = (OutputPart("end", "hm", "", 0, 0),)
        runs.add(conn, [NewRun(version.player, "m", RunKind.WROTE, 1.0, 1.0, 1, "", parts)])


@pytest.fixture
def narrow(store: Store, played: list[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The database with a single connection and no waiting for it."""
    # No value counts as slow, however busy the machine is: a thread would take the connection.
    monkeypatch.setattr(cache, "QUICK_S", math.inf)
    found = opened(store, 1, 0.0)
    yield found
    found.dispose()


@pytest.fixture
def app(
    narrow: Store,
    redis_client: redis.Redis,
    redis_url: str,
    gateway: FakeGateway,
    small_package: None,
) -> Flask:
    """A running arena with all bots connected."""
    with narrow.read() as conn:
        for bot in bots.all_bots(conn):
            gateway.connect(bot.player, bot=bot.name, games=tuple(GAMES))
    return create_app(Settings(redis_url=redis_url, secret_key="k", **MAIL), narrow, redis_client)


@pytest.fixture
def olga(app: Flask) -> FlaskClient:
    """An organiser with a bot."""
    return signed_in(app, "olga")


def signed_in(app: Flask, name: str) -> FlaskClient:
    browser = app.test_client()
    form = {"name": name, "password": PASSWORD, "csrf_token": csrf(browser)}
    assert browser.post("/sign-in", data=form).status_code == 303
    return browser


# No visitors, and only a dashboard's process sends mail.
MAIL: dict[str, Any] = {
    "smtp_url": "smtp+plain://127.0.0.1:9",
    "mail_from": "arena@example.org",
    "public_url": "http://127.0.0.1",
}

# Everything that can be sent, in an order in which most of it succeeds. MATCH is a stored match.
NEW = {**blank().values, "seats": "2", "matches": "2", "bots": list(NAMES)}
CODE = FILLED["code"]
LATER = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 86_400))
UNTIL = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 30 * 86_400))
WEEKLY = {"starts_at": LATER, "open": "yes", "every": "week", "until": UNTIL}
FORMS: list[tuple[str, dict[str, Any]]] = [
    ("/tournaments/new/preview", NEW),
    ("/tournaments", NEW),
    ("/tournaments", {**NEW, "format": "ladder", "bots": list(NAMES[:3])}),
    ("/tournaments/2/cancel", {}),
    ("/tournaments/2/resume", {}),
    ("/tournaments/4/priority", {"priority": "high"}),
    ("/tournaments/4/enter", {"bot": "dan"}),
    ("/my/bots/-/new", {"name": "another"}),
    ("/my/bots/hers/tests", {"game": "lama", "seats": "2"}),
    ("/my/bots/hers/token", {}),
    ("/my/bots/hers/version", {"version": "2"}),
    ("/my/bots/hers/version", {"version": "2"}),
    ("/my/bots/hers/retire", {}),
    ("/my/bots/hers/bring-back", {}),
    ("/my/bots/hers/come-back", {}),
    ("/my/bots/hers/submissions", {"file": "# uploaded"}),
    ("/my/bots/hers/submissions/-/editor", {"program": "# written"}),
    ("/my/bots/hers/submissions/1/rollback", {}),
    ("/play", {"game": "lama", "with": ["five", "sharp"], "length": "1"}),
    ("/play", {"game": "lama", "with": ["nobody"], "length": "1"}),
    ("/play/daily", {"game": "lama"}),
    ("/play/6", {"ticket": "1", "choice": "1"}),
    ("/play/6/hint", {"ticket": "1"}),
    ("/play/6/leave", {}),
    ("/play/tables", {"game": "lama", "seats": "3", "with": ["five"], "move_s": "30"}),
    (f"/play/tables/{CODE}/join", {}),
    (f"/play/tables/{CODE}/ready", {"ready": "yes"}),
    (f"/play/tables/{CODE}/remove", {"person": "1"}),
    (f"/play/tables/{CODE}/leave", {}),
    (f"/play/tables/{CODE}/start", {}),
    (f"/play/tables/{CODE}/close", {}),
    ("/play/6/again", {}),
    ("/matches/MATCH/review", {"move": "1"}),
    ("/play/puzzles", {"game": "lama"}),
    ("/play/puzzles/1/hint", {}),
    ("/play/puzzles/1", {"choice": "0"}),
    ("/my/bots/hers/description", {"description": "Plays."}),
    ("/bots/hers/description/remove", {}),
    ("/my/bots/hers/notes", {"public": "yes"}),
    ("/my/bots/hers/notes/delete", {}),
    ("/bots/hers/notes/hide", {}),
    ("/account/public", {"public": "yes", "about": "Writes bots."}),
    ("/authors/olga/remove", {}),
    ("/tournaments", {**NEW, **WEEKLY, "bots": list(NAMES[:2])}),
    ("/tournaments/7/enter", {"bot": "dan"}),
    ("/tournaments/7/withdraw", {"bot": "dan"}),
    ("/series/1/end", {}),
    ("/invitations", {"title": "Class", "names": "eve@mail.example", "places": "3", "days": "3"}),
    ("/invitations/1/end", {}),
    ("/join/none", {"name": "nia", "password": "a long enough password"}),
    ("/tournaments/7/discussion", {"text": "Welcome."}),
    ("/tournaments/7/discussion/1/delete", {}),
    ("/theme", {"theme": "dark"}),
]
OF_ACCOUNTS: list[tuple[str, dict[str, Any]]] = [
    ("/play/record/claim", {}),
    ("/play/people", {"listed": "yes"}),
    ("/account/email", {"address": "olga@example.org", "old": PASSWORD}),
    ("/account/email/confirm", {"token": "none"}),
    ("/account/notices", {"finished": "yes"}),
    ("/account/webhooks", {"url": "https://olga.example/hook", "offline": "yes"}),
    ("/account/webhooks/1/test", {}),
    ("/account/webhooks/1/secret", {}),
    ("/account/webhooks/1/switch", {"on": "no"}),
    ("/account/webhooks/1/delete", {}),
    ("/unsubscribe?token=none", {}),
    ("/account/email/remove", {"old": PASSWORD}),
    ("/account/sign-ins/github", {"old": PASSWORD}),
    ("/account/sign-ins/github/remove", {"old": PASSWORD}),
    ("/reset-password", {"who": "olga"}),
    ("/reset-password/new", {"token": "none", "new": "quite another password"}),
    ("/account/password", {"old": PASSWORD, "new": "quite another password"}),
    ("/sign-out", {}),
    ("/sign-in", {"name": "olga", "password": "wrong"}),
    ("/sign-in", {"name": "olga", "password": "quite another password"}),
    ("/account/sign-out-everywhere", {}),
    ("/sign-up/elsewhere", {"name": "nils"}),
    ("/sign-up", {"name": "nils", "password": "a long enough password"}),
    ("/account/delete", {"name": "nils", "old": "a long enough password"}),
]


def send(browser: FlaskClient, path: str, fields: dict[str, Any]) -> TestResponse:
    sent = {**fields, "csrf_token": csrf(browser, "/play")}
    if "file" in fields:
        sent["file"] = (io.BytesIO(fields["file"].encode()), "bot.py")
    return browser.post(path, data=sent)


def readable(app: Flask, match: str) -> Iterator[str]:
    """The addresses of all that can be read, with each tournament there is."""
    for rule in app.url_map.iter_rules():
        if "GET" in (rule.methods or ()) and rule.endpoint not in ("static", "plain_static"):
            for number in ("1", "2", "4", "5", "6", "7"):
                if number == "1" or "number" in rule.arguments:
                    yield address(rule, name="hers", match=match, number=number)


# On PostgreSQL alone: nearly all other tests of pages run on SQLite.
@pytest.mark.parametrize("store", ["postgres"], indirect=True)
def test_no_page_takes_a_second_connection_inside_the_first(
    app: Flask, olga: FlaskClient, played: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "SEEN_EVERY_S", -1)  # each page stores the visit
    monkeypatch.setattr("arena.service.live.lobbies.new_code", lambda: CODE)
    monkeypatch.setattr("dashboard.play.starting.DEAL_WITHIN_S", 0.1)
    monkeypatch.setattr("dashboard.play.view.ANSWER_WITHIN_S", 0.1)
    pages = [path for path in readable(app, played[0]) if path != "/events"]

    forms = [(path.replace("MATCH", played[0]), fields) for path, fields in FORMS]
    found = {f"POST {path}": send(olga, path, fields).status_code for path, fields in forms}
    found |= {path: status(olga, path) for path in pages}
    found |= {f"POST {path}": send(olga, path, form).status_code for path, form in OF_ACCOUNTS}
    found |= {f"{path} seen by a stranger": status(app.test_client(), path) for path in pages}

    failed = {path for path, status in found.items() if status >= 500}
    assert failed == {"/readyz", "/readyz seen by a stranger"}  # there are no workers here
    assert "database" not in olga.get("/readyz").get_json()["missing"]
    assert len([path for path in pages if found[path] == 200]) > 60
    assert len([path for path, status in found.items() if status == 303 and "POST" in path]) >= 10


def status(browser: FlaskClient, path: str) -> int:
    """The status of an answer that is read to its end."""
    return browser.get(path, buffered=True).status_code


def test_every_form_is_tried(app: Flask) -> None:
    changing = {rule.rule for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())}

    sent = {
        re.sub(r"/(\d+|hers|olga|github|none|MATCH)(?=/|$)", "/*", path.partition("?")[0])
        for path, _ in FORMS + OF_ACCOUNTS
    }
    assert sent == {re.sub(r"<[^>]*>", "*", rule) for rule in changing}


@pytest.fixture
def asked_meanwhile(narrow: Store, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many connections to the database were held whenever Redis was asked something."""
    held: list[int] = []
    send_packed = RedisConnection.send_packed_command

    def send(self: RedisConnection, *args: Any, **kwargs: Any) -> None:
        if threading.current_thread() is threading.main_thread():  # the other is a gateway
            held.append(used(narrow))
        send_packed(self, *args, **kwargs)  # type: ignore[no-untyped-call]

    monkeypatch.setattr(RedisConnection, "send_packed_command", send)
    return held


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_nothing_of_the_database_is_held_while_redis_is_asked(
    app: Flask, olga: FlaskClient, played: list[str], asked_meanwhile: list[int]
) -> None:
    for path in readable(app, played[0]):
        if path != "/events":
            status(olga, path)

    assert len(asked_meanwhile) > 10
    assert set(asked_meanwhile) == {0}


def test_a_stream_of_events_holds_no_connection(app: Flask, narrow: Store) -> None:
    answer = app.test_client().get("/events?topic=home", buffered=False)
    lines = iter(answer.response)
    said = [next(lines) for _ in range(2)]

    assert any(b"event: mark" in line for line in said if isinstance(line, bytes))
    deadline = time.monotonic() + 5
    while used(narrow):  # one poll per second serves all streams
        assert time.monotonic() < deadline
        time.sleep(0.01)
    with narrow.read() as conn:
        assert bots.all_bots(conn)
    answer.close()


# When all are in use


@pytest.fixture
def waits(store: Store, played: list[str]) -> Iterator[Store]:
    """A single connection, for which a request waits a moment."""
    found = opened(store, 1, WAIT_S)
    yield found
    found.dispose()


def test_a_request_that_gets_no_connection_is_told_when_to_come_back(waits: Store) -> None:
    app = create_app(Settings(secret_key="k"), waits, None)
    olga = signed_in(app, "olga")

    with waits.read() as conn:
        assert bots.all_bots(conn)
        began = time.monotonic()
        pages = [olga.get(path) for path in ("/", "/my/bots", "/tournaments/1")]
        told = [olga.get(path) for path in ("/api/bots", "/api/tournaments/1")]
        seconds = time.monotonic() - began

    assert {answer.status_code for answer in (*pages, *told)} == {503}
    assert {answer.headers["Retry-After"] for answer in (*pages, *told)} == {"5"}
    for page in pages:
        assert "All connections to the database are in use" in page.text
        assert "<html" in page.text
    for answer in told:
        assert "All connections to the database are in use" in answer.get_json()["error"]
    # Once each: the page that says so does not wait as well, to know who is signed in.
    assert seconds < 5 * 1.8 * WAIT_S
    assert olga.get("/").status_code == 200


def test_a_form_that_gets_no_connection_changes_nothing_and_says_so(waits: Store) -> None:
    app = create_app(Settings(secret_key="k"), waits, None)
    olga = signed_in(app, "olga")
    token = csrf(olga)

    with waits.read() as conn:
        before = len(bots.all_bots(conn))
        answer = olga.post("/my/bots/-/new", data={"name": "late", "csrf_token": token})
    with waits.read() as conn:
        after = len(bots.all_bots(conn))

    assert answer.status_code == 503
    assert "All connections" in answer.text
    assert after == before


def test_many_at_once_share_few_connections(store: Store, played: list[str]) -> None:
    # Long: only who waits for a second connection inside the first waits for so long.
    few = opened(store, 2, 30.0)
    app = create_app(Settings(secret_key="k"), few, None)
    cookie = signed_in(app, "olga").get_cookie("arena_session")
    assert cookie is not None
    paths = ("/tournaments/1", "/my/bots", "/play", "/", "/api/tournaments/1", "/ratings")
    at_once = threading.Barrier(THREADS)

    def visit(which: int) -> set[int]:
        browser = app.test_client()
        browser.set_cookie("arena_session", cookie.value)
        at_once.wait()
        return {browser.get(paths[(which + step) % len(paths)]).status_code for step in range(6)}

    with ThreadPoolExecutor(THREADS) as threads:
        found = list(threads.map(visit, range(THREADS)))
    few.dispose()

    assert set().union(*found) == {200}


def test_there_is_a_thread_and_a_connection_for_each_request(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, dashboard_threads=7)

    app = create_app(settings, upgrade_store(settings.database), None)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = made_server(app, settings, listener)
        server.close()

    assert server.adj.threads == STREAMS + 7
    assert STREAM in {rule.rule for rule in app.url_map.iter_rules()}  # which takes no turn
    assert SPARE >= 3  # one who looks for news, one who keeps ratings warm, one who renews


# What a request sees


def test_reads_after_a_write_see_it(app: Flask, narrow: Store) -> None:
    database = Database(narrow)
    with app.app_context():
        with database.read() as conn:
            before = len(bots.all_bots(conn))
        with database.write() as conn:
            bots.register(conn, "late")
            with database.read() as same:  # as the loader of the account does
                assert same is conn
                assert len(bots.all_bots(same)) == before + 1
        with database.read() as conn:
            assert len(bots.all_bots(conn)) == before + 1


def test_next_check_sees_writes_of_others(app: Flask, narrow: Store, store: Store) -> None:
    database = Database(narrow)
    with app.app_context():
        with database.read() as conn:
            before = len(bots.all_bots(conn))
        assert used(narrow) == 0  # so that nothing old is seen, nor kept from being cleared up
        with store.write() as conn:
            bots.register(conn, "late")
        with database.read() as conn:
            assert len(bots.all_bots(conn)) == before + 1


def test_writing_while_reading_is_a_mistake(app: Flask, narrow: Store) -> None:
    database = Database(narrow)
    with (
        app.app_context(),
        database.read(),
        pytest.raises(RuntimeError, match="must finish reading"),
        database.write(),
    ):
        pass


def test_after_an_error_the_connection_is_given_back(app: Flask, narrow: Store) -> None:
    database = Database(narrow)
    with app.app_context():
        for _ in range(2):
            with pytest.raises(ZeroDivisionError), database.read(), database.read():
                raise ZeroDivisionError
        assert used(narrow) == 0


def test_text_that_no_database_stores_is_refused(
    postgres_store: Store, redis_client: redis.Redis, redis_url: str
) -> None:
    app = create_app(Settings(redis_url=redis_url), postgres_store, redis_client)
    ada = person(app, postgres_store, "ada")
    for path in ("/search?q=a%00b", "/api/search?q=%00", "/bots/x/reviews?game=%00"):
        assert ada.get(path).status_code in (400, 404), path
    stranger = app.test_client()
    for browser, path, fields in (
        (stranger, "/sign-in", {"name": "a\0b", "password": "long enough"}),
        (ada, "/play", {"game": "lama\0"}),
        (ada, "/tournaments/1/enter", {"bot": "a\0b"}),
    ):
        answer = browser.post(path, data={**fields, "csrf_token": csrf(browser)})
        assert answer.status_code in (400, 404), path
