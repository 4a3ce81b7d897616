"""`arena status`, /status and /readyz: the same sentences and numbers, and whether work is done."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient

from arena.config import Settings
from arena.embedded import free_port
from arena.live import keys, vitals
from arena.live.presence import Presence, encode
from arena.live.queues import PROMPT, QUEUES
from arena.store import Store
from arena.store.registry import bots
from dashboard import create_app
from tests.integration.conftest import Run
from tests.made_results import entered


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
    """What the page says is wrong."""
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
    assert problem.startswith("No host is connected, so nobody plays the hosted bot")
    with sqlite_store.write() as conn:
        bots.retire(conn, "nora")

    assert at("status").out.startswith("Nothing is wrong.")

    with sqlite_store.write() as conn:
        bots.bring_back(conn, "nora")
    here = Presence(
        player=player + 1, bot="nora", version="3", gateway="g1", session="1", since=0.0,
        games=("lama",), min_seats=2, max_seats=6, max_in_flight=1, sdk="", hosted=True,
    )  # fmt: skip
    redis_client.set(keys.presence(player + 1), encode(here))
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
    assert "There is no running arena here" in alone.out
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
    silent = redis.Redis(port=free_port(), socket_connect_timeout=1)
    code, body = readyz(create_app(Settings(), sqlite_store, silent).test_client())

    assert code == 503
    assert set(body["missing"]) == {"redis", "workers"}


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
    assert hanging[1]["missing"] == {"workers": "hang"}
    assert none[1]["missing"] == {"workers": "none is alive"}
    assert "no task was done" in idle[1]["missing"]["workers"]
    vitals.swept(redis_client)
    assert readyz(browser)[0] == 200


def test_it_is_not_ready_without_a_database(
    browser: FlaskClient, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.probe.verdict", lambda _: "full")

    code, body = readyz(browser)

    assert code == 503
    assert body["missing"] == {"database": "cannot be written (full)"}
