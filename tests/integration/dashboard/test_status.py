"""`arena status`, /status and /readyz: the same sentences and numbers, and whether work is done."""

import html
import json
import re
from threading import Thread
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient
from sqlalchemy import text

from arena.base.config import Settings
from arena.service.health.facts import blockers
from arena.service.live import keys, vitals
from arena.service.live.player_presence import Presence, encode
from arena.service.live.queues import PROMPT, QUEUES
from arena.store import Store
from arena.store.database_url import parse_url
from arena.store.registry import bots
from dashboard import create_app
from tests.integration.conftest import Run
from tests.integration.people import person
from tests.made_results import entered
from tests.servers import free_port, no_redis


@pytest.fixture
def browser(sqlite_store: Store, redis_client: redis.Redis) -> FlaskClient:
    """A browser on the dashboard of an arena in which all is well."""
    redis_client.set(keys.ANY_GATEWAY, "g1")
    redis_client.eval(vitals.BEAT, 1, keys.GATEWAYS, "g1")
    vitals.beat_worker(redis_client, "w1", QUEUES)
    vitals.swept(redis_client)
    return create_app(Settings(), sqlite_store, redis_client).test_client()


@pytest.fixture
def at(run: Run, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `arena ...` on the same arena."""
    monkeypatch.setenv("ARENA_REDIS_URL", redis_url)
    return run


def shown(browser: FlaskClient) -> list[str]:
    """The problems on the page."""
    text = browser.get("/status").text
    section = text.split('aria-label="Problems"')[1].split("</section>")[0]
    return [html.unescape(re.sub("<.+?>", "", p)) for p in re.findall(r"<p>(.*?)</p>", section)]


def readyz(browser: FlaskClient) -> tuple[int, dict[str, Any]]:
    answer = browser.get("/readyz")
    return answer.status_code, answer.get_json()


def test_an_arena_that_is_well_is_said_so_everywhere(at: Run, browser: FlaskClient) -> None:
    told = at("status")

    assert told.status == 0, told.out
    assert told.out.startswith("Nothing is wrong.\n")
    assert re.search(r"Gateways +1 *\n", told.out)
    assert shown(browser) == ["Nothing is wrong."]
    assert readyz(browser) == (200, {"status": "ok", "missing": {}})


def test_terminal_and_page_and_json_say_the_same(
    at: Run, browser: FlaskClient, redis_client: redis.Redis, sqlite_store: Store
) -> None:
    entered(sqlite_store)
    vitals.worker_gone(redis_client, "w1", QUEUES)
    redis_client.delete(keys.GATEWAYS)

    told, page = at("status"), browser.get("/status").text
    as_json = json.loads(at("status", "--json").out)
    api = browser.get("/api/health").get_json()

    assert told.status == 1
    assert as_json["problems"] == api["problems"]
    assert [line.replace("`", "") for line in api["problems"]] == shown(browser)
    assert told.out.splitlines()[: len(api["problems"])] == api["problems"]
    assert list(as_json) == list(api)
    for name, value in re.findall(r"<div><dt>(.+?)</dt><dd>(.*?)</dd></div>", page):
        assert re.search(rf"{re.escape(name)} +{re.escape(value)}", told.out), name


def test_hosted_bots_without_a_host_are_a_problem_until_one_has_them(
    at: Run, browser: FlaskClient, redis_client: redis.Redis, sqlite_store: Store
) -> None:
    with sqlite_store.write() as conn:
        bots.register(conn, "nora")
        player = bots.new_version(conn, "nora", hosted=True).player
        bots.new_version(conn, "nora", hosted=True)
    (problem,) = browser.get("/api/health").get_json()["problems"]
    assert problem.startswith("No host has connected the hosted bot, so their matches wait.")
    with sqlite_store.write() as conn:
        bots.retire(conn, "nora")

    assert at("status").out.startswith("Nothing is wrong.")

    with sqlite_store.write() as conn:
        bots.reinstate(conn, "nora")
    here = Presence(
        player=player + 1, bot="nora", version="3", gateway="g1", session="1", since=0.0,
        games=("lama",), min_seats=2, max_seats=6, max_in_flight=1, sdk="", hosted=True,
    )  # fmt: skip
    redis_client.set(keys.presence(player + 1), encode(here))
    redis_client.eval(vitals.BEAT, 1, keys.HOSTS, "host-1@here")
    told = at("status").out
    assert told.startswith("Nothing is wrong.")
    assert re.search(r"Hosted bots connected +1 of 1 *\n", told)


def test_the_live_part_is_the_same_as_on_the_page(browser: FlaskClient) -> None:
    part = browser.get("/status/live").text

    assert part.lstrip().startswith('<div id="live"')
    assert "Nothing is wrong." in part


def test_without_redis_or_arena_that_is_what_is_wrong(
    run: Run, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = run("status")
    monkeypatch.setenv("ARENA_REDIS_URL", f"redis://:hunter2@127.0.0.1:{free_port()}/0")
    silent = run("status")

    assert (alone.status, silent.status) == (1, 1)
    assert "No arena is running here" in alone.out
    assert "Redis does not answer" in silent.out
    assert "hunter2" not in silent.out + silent.err


def test_a_database_that_is_away_is_a_problem_and_no_traceback(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"postgresql://arena:hunter2@127.0.0.1:{free_port()}/arena"
    monkeypatch.setenv("ARENA_DATABASE_URL", url)

    told, as_json = run("status"), run("status", "--json")

    assert (told.status, as_json.status) == (1, 1)
    assert "cannot be used" in told.out
    assert json.loads(as_json.out)["problems"]
    assert "hunter2" not in told.out + told.err + as_json.out


def test_without_the_database_monitors_get_200_and_visitors_no_host(
    browser: FlaskClient, redis_client: redis.Redis
) -> None:
    port = free_port()
    away = Store(parse_url(f"postgresql://arena:hunter2@127.0.0.1:{port}/arena"))
    visitor = create_app(Settings(), away, redis_client).test_client()

    health, ready, healthz = map(visitor.get, ("/api/health", "/readyz", "/healthz"))
    status, home = map(visitor.get, ("/status", "/"))

    assert health.status_code == 200
    (problem,) = health.get_json()["problems"]
    assert problem.startswith("The database does not answer. ")
    assert (health.get_json()["database"], health.get_json()["matches"]) == ("away", None)
    assert (ready.status_code, healthz.status_code) == (503, 503)
    assert ready.get_json()["missing"]["database"] == "The database does not answer."
    assert (status.status_code, home.status_code) == (200, 503)
    assert "The database does not answer." in status.text
    for answer in (health, ready, healthz, status, home):
        assert "127.0.0.1" not in answer.text
        assert "arena:***" not in answer.text
        assert "hunter2" not in answer.text
    away.dispose()


def test_a_session_that_holds_a_lock_that_another_waits_for_is_found(
    postgres_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.service.health.facts.LONG_S", 0.0)
    row = text("LOCK TABLE tournaments IN ACCESS EXCLUSIVE MODE")

    def wait() -> None:
        with postgres_store.write() as conn:
            conn.execute(row)

    with postgres_store.write() as holder:
        holder.execute(row)
        process = holder.scalar(text("SELECT pg_backend_pid()"))
        waiter = Thread(target=wait)
        waiter.start()
        with postgres_store.read() as conn:
            while not (found := blockers(conn)):
                conn.rollback()
    waiter.join()

    assert [(each.process, each.waiting) for each in found] == [(process, 1)]


def test_only_organisers_see_where_redis_is(sqlite_store: Store) -> None:
    port = free_port()
    app = create_app(Settings(), sqlite_store, no_redis(f"redis://127.0.0.1:{port}/0"))
    organiser = person(app, sqlite_store, "olga", organiser=True)

    shown, hidden = organiser.get("/status").text, app.test_client().get("/status").text

    assert f":{port} cannot be reached" in shown
    assert "Redis cannot be reached" in hidden
    assert str(port) not in hidden


def test_watching_goes_on_until_ctrl_c(at: Run, browser: FlaskClient, monkeypatch: Any) -> None:
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("arena.cli.status.time.sleep", sleep)

    watched = at("status", "--watch", "--json")

    assert watched.status == 130
    assert len(watched.out.splitlines()) == 3


# /readyz


def test_it_is_not_ready_without_redis(sqlite_store: Store) -> None:
    code, body = readyz(create_app(Settings(), sqlite_store, no_redis()).test_client())

    assert code == 503
    assert body["missing"] == {"redis": "Redis cannot be reached."}


def test_it_is_not_ready_without_workers_that_take_work(
    browser: FlaskClient, redis_client: redis.Redis
) -> None:
    vitals.beat_worker(redis_client, "w1", QUEUES, hangs=True)
    hanging = readyz(browser)
    vitals.worker_gone(redis_client, "w1", QUEUES)
    vitals.beat_worker(redis_client, "p1", (PROMPT,))
    none = readyz(browser)
    vitals.beat_worker(redis_client, "w2", QUEUES)
    redis_client.delete(keys.SWEPT)
    idle = readyz(browser)

    assert [code for code, _ in (hanging, none, idle)] == [503] * 3
    assert hanging[1]["missing"]["workers"].startswith("All workers hang")
    assert none[1]["missing"]["workers"].startswith("No worker is running")
    assert idle[1]["missing"]["beat"].startswith("Beat is not running")
    vitals.swept(redis_client)
    assert readyz(browser)[0] == 200


def test_it_is_not_ready_without_a_database(
    browser: FlaskClient, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.sources.verdict", lambda _: "full")

    code, body = readyz(browser)

    assert code == 503
    assert body["missing"]["database"].startswith("The disk of the database is full")
