"""`/events` on a real store, a real Redis, and as a process that must stop."""

import asyncio
import http.client
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
import redis.asyncio
from flask import Flask
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.operations.supervise.stack import is_healthy
from arena.service.live.player_presence import Presence
from arena.service.live.presence import beat, claim
from arena.store import Store
from arena.store.registry import bots
from arena.store.tournaments import guests, tournaments
from dashboard import create_app
from dashboard.events import topics
from dashboard.events import view as events
from dashboard.events.broadcaster import STREAMS
from dashboard.events.topics import broadcaster
from dashboard.sources import Sources
from tests.integration.api_world import browser_on
from tests.integration.dashboard.test_dashboard_process import PROMPT_S, start
from tests.integration.people import person
from tests.integration.played import register
from tests.made_results import entered, results, save
from tests.servers import free_port

PATIENCE_S = 20.0


class Stream:
    """The messages of a stream, one by one."""

    def __init__(self, browser: FlaskClient, query: str) -> None:
        self.answer = browser.get(f"/events?{query}")
        assert self.answer.status_code == 200
        assert self.answer.mimetype == "text/event-stream"
        self._messages = self.answer.iter_encoded()
        self.next()  # how long to wait before coming again

    def next(self) -> str:
        return next(self._messages).decode()

    def marks(self) -> dict[str, str]:
        """The next news, past heartbeats."""
        deadline = time.monotonic() + PATIENCE_S
        while (message := self.next()).startswith(":"):
            assert time.monotonic() < deadline
        lines = [line for line in message.splitlines() if line.startswith("data: ")]
        return dict(line.removeprefix("data: ").split(" ") for line in lines)


@pytest.fixture
def browser(sqlite_store: Store) -> Iterator[FlaskClient]:
    made = browser_on(sqlite_store)
    yield made
    broadcaster(made.application).stop()


@pytest.fixture
def sources(sqlite_store: Store, redis_client: redis.Redis) -> Sources:
    """The sources of an arena that runs."""
    return Sources(Settings(), sqlite_store, redis_client)


# The stream


def test_a_stream_tells_the_marks_that_pages_show_and_then_each_change(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    tournament = entered(sqlite_store)
    shown = browser.get("/tournaments/1").text
    stream = Stream(browser, "topic=tournament-1&topic=ratings")

    first = stream.marks()
    assert set(first) == {"tournament-1", "ratings"}
    assert f'data-live="tournament-1" data-mark="{first["tournament-1"]}"' in shown
    save(sqlite_store, results(tournament)[:3])
    second = stream.marks()
    assert second["tournament-1"] != first["tournament-1"]

    assert f'data-mark="{second["tournament-1"]}"' in browser.get("/tournaments/1/live").text
    stream.answer.close()


def test_a_silent_stream_has_a_heart_that_beats(
    browser: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_S", 0.05)
    stream = Stream(browser, "topic=bots")
    stream.marks()

    assert stream.next() == ": still here\n\n"
    stream.answer.close()


def test_a_stream_may_not_be_kept_or_held_up_on_its_way(browser: FlaskClient) -> None:
    stream = Stream(browser, "topic=home")

    assert stream.answer.headers["Cache-Control"] == "no-store"
    assert stream.answer.headers["X-Accel-Buffering"] == "no"
    assert "default-src 'none'" in stream.answer.headers["Content-Security-Policy"]
    stream.answer.close()


def test_beyond_the_cap_a_page_is_told_to_ask_by_itself(
    browser: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcaster(browser.application), "_most", 1)
    stream = Stream(browser, "topic=home")

    refused = browser.get("/events?topic=home")
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0

    stream.answer.close()
    Stream(browser, "topic=home").answer.close()


def listening(app: Flask, address: str, count: int, who: FlaskClient | None = None) -> list[int]:
    """Opens this many streams from an address and keeps them open; returns the answers."""
    made = who or app.test_client()
    there = {"REMOTE_ADDR": address}
    answers = [made.get("/events?topic=home", environ_base=there) for _ in range(count)]
    made.application.extensions.setdefault("kept", []).extend(answers)
    return [answer.status_code for answer in answers]


@pytest.fixture
def app(sqlite_store: Store) -> Iterator[Flask]:
    made = create_app(Settings(people_per_address=3), sqlite_store, None)
    yield made
    for answer in made.extensions.get("kept", []):
        answer.close()
    broadcaster(made).stop()


def test_one_stranger_does_not_take_all_streams(app: Flask) -> None:
    assert listening(app, "192.0.2.1", 8) == [200] * 6 + [429] * 2

    assert listening(app, "192.0.2.2", 1) == [200]


def test_whoever_is_refused_is_told_when_to_come_again(app: Flask) -> None:
    listening(app, "192.0.2.1", 6)
    there = {"REMOTE_ADDR": "192.0.2.1"}

    refused = app.test_client().get("/events?topic=home", environ_base=there)

    assert refused.status_code == 429
    assert refused.text == ("You have too many open live connections. This page polls instead.\n")
    assert int(refused.headers["Retry-After"]) > 0
    page = app.test_client().get("/", environ_base=there)
    assert page.status_code == 200


def test_a_classroom_listens_behind_one_address(sqlite_store: Store) -> None:
    app = create_app(Settings(), sqlite_store, None)
    listener = broadcaster(app)

    assert listening(app, "192.0.2.1", 40) == [200] * 40

    for answer in app.extensions["kept"]:
        answer.close()
    assert listener.listeners == 0
    listener.stop()


def test_an_account_has_so_many_streams_wherever_it_is(
    app: Flask, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "OF_ACCOUNT", 2)
    ada = person(app, sqlite_store, "ada")

    assert listening(app, "192.0.2.1", 2, ada) == [200, 200]
    assert listening(app, "192.0.2.2", 1, ada) == [429]
    assert listening(app, "192.0.2.2", 1) == [200]


def test_however_many_people_one_address_leaves_room_for_others(
    sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(Settings(people_per_address=1000), sqlite_store, None)
    with app.test_request_context("/events"):
        assert set(events.clients().values()) == {STREAMS * 3 // 4}


def test_a_stream_that_is_never_read_makes_room_again(browser: FlaskClient) -> None:
    browser.get("/events?topic=home").close()
    assert browser.head("/events?topic=home").status_code == 200

    assert broadcaster(browser.application).listeners == 0


@pytest.mark.parametrize(
    "query",
    [
        "",
        "topic=weather",
        "topic=tournament",
        "topic=tournament-x",
        "topic=tournament-00000000000000000000001",
        "topic=bot-<b>",
        "topic=home-7",
        "&".join(f"topic=tournament-{number}" for number in range(9)),
    ],
)
def test_a_topic_that_cannot_be_is_a_sentence(browser: FlaskClient, query: str) -> None:
    answer = browser.get(f"/events?{query}")

    assert answer.status_code == 400
    assert "topic" in answer.text


# Marks


def changes(sources: Sources, topic: str, act: Callable[[], object]) -> bool:
    before = topics.marks(sources, [topic])
    assert topics.marks(sources, [topic]) == before
    act()
    return topics.marks(sources, [topic]) != before


def connect_bot(url: str, bot: bots.RegisteredBot) -> None:
    here = Presence(
        player=bot.player, bot=bot.name, version=bot.version, gateway="g1", session="",
        since=1000.0, games=("lama",), min_seats=2, max_seats=6, max_in_flight=8, sdk="sdk",
    )  # fmt: skip

    async def go() -> None:
        async with redis.asyncio.Redis.from_url(url) as client:
            await beat(client, "g1")
            await claim(client, here)

    asyncio.run(go())


@pytest.fixture(autouse=True)
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time alone changes no mark here."""
    monkeypatch.setattr("arena.base.instant.now", lambda: 1000.0)


@pytest.mark.parametrize("topic", ["home", "bots", "bot-ada"])
def test_a_bot_that_connects_is_news_where_connections_are_shown(
    sources: Sources, redis_url: str, sqlite_store: Store, topic: str
) -> None:
    register(sqlite_store, "ada", "bob")
    with sqlite_store.read() as conn:
        ada, bob = bots.all_bots(conn)

    assert changes(sources, topic, lambda: connect_bot(redis_url, ada))
    assert changes(sources, topic, lambda: connect_bot(redis_url, bob)) == (topic != "bot-ada")


@pytest.mark.parametrize("topic", ["home", "tournaments", "tournament-1", "bot-ada", "ratings"])
def test_a_match_is_news(sources: Sources, sqlite_store: Store, topic: str) -> None:
    tournament = entered(sqlite_store)

    assert changes(sources, topic, lambda: save(sqlite_store, results(tournament)))


@pytest.mark.parametrize("topic", ["home", "tournaments", "tournament-1"])
def test_a_tournaments_state_is_news(sources: Sources, sqlite_store: Store, topic: str) -> None:
    entered(sqlite_store)

    def cancel() -> None:
        with sqlite_store.write() as conn:
            tournaments.set_state(conn, 1, "cancelled")

    assert changes(sources, topic, cancel)


def test_a_person_who_plays_is_not_news(sources: Sources, sqlite_store: Store) -> None:
    with sqlite_store.write() as conn:
        guest = guests.arrive(conn, None)

    def play_again() -> None:
        with sqlite_store.write() as conn:
            bots.new_version(conn, guest.name)

    assert not changes(sources, f"bot-{guest.name}", play_again)


def test_missing_objects_have_a_mark(sources: Sources) -> None:
    for topic in ("tournament-9", "bot-nobody"):
        assert not changes(sources, topic, lambda: None)


# The process


@pytest.fixture
def port(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A dashboard as a process, and its port."""
    number = free_port()
    with start(tmp_path, number) as process:
        try:
            deadline = time.monotonic() + PATIENCE_S
            while not is_healthy("127.0.0.1", number):
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.05)
            yield process, number
        finally:
            process.kill()


def opened(port: int, address: str = "127.0.0.1") -> socket.socket:
    """A stream of which the first lines are read, from some address of this machine."""
    stream = socket.create_connection(("127.0.0.1", port), PATIENCE_S, (address, 0))
    stream.sendall(b"GET /events?topic=home HTTP/1.1\r\nHost: arena\r\n\r\n")
    assert stream.recv(4096).startswith(b"HTTP/1.1 200 ")
    return stream


def get(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    connection.request("GET", path)
    status = connection.getresponse().status
    connection.close()
    return status


def test_full_of_streams_pages_answer_and_closed_streams_make_room(
    port: tuple[subprocess.Popen[str], int],
) -> None:
    _, number = port
    streams = [opened(number, f"127.0.0.{2 + place // 60}") for place in range(STREAMS)]

    assert get(number, "/events?topic=home") == 503
    assert get(number, "/") == 200

    for stream in streams:
        stream.close()
    deadline = time.monotonic() + PATIENCE_S
    while get(number, "/events?topic=home") != 200:
        assert time.monotonic() < deadline
        time.sleep(0.2)


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_streams_do_not_keep_it_from_stopping(
    port: tuple[subprocess.Popen[str], int], told: signal.Signals
) -> None:
    process, number = port
    streams = [opened(number) for _ in range(20)]

    process.send_signal(told)
    began = time.monotonic()
    status = process.wait(PROMPT_S)

    assert status == 0
    assert time.monotonic() - began < PROMPT_S
    assert "Traceback" not in (process.stderr.read() if process.stderr else "")
    for stream in streams:
        while stream.recv(4096):  # has an end
            pass
        stream.close()
