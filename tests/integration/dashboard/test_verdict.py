"""A tournament's verdict and the error of its forecast, wherever they are shown."""

import asyncio
import csv
import io
import json
import time
from dataclasses import replace

import pytest
import redis
import redis.asyncio
from flask import Flask

from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.service import ControlService
from arena.service.live import first_forecasts, keys, overload
from arena.store import Store
from arena.store.reports.verdict import verdict_on
from arena.store.save import FaultNote, MatchResult
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from tests.integration.api_world import browser_on, data
from tests.integration.conftest import Run
from tests.integration.dashboard.test_dashboard import page
from tests.made_results import entered, results, save
from workers.advancing.advance import keep_forecast


def timed_out(result: MatchResult, seats: int) -> MatchResult:
    """The same match, in which the first `seats` forfeited by three timeouts each."""
    where = [(seat, number) for seat in range(seats) for number in (1, 2, 3)]
    notes = [FaultNote(*each, "timeout", "No answer.", "quit") for each in where]
    faults = tuple(3 if seat < seats else 0 for seat in range(len(result.players)))
    forfeited = tuple(seat < seats for seat in range(len(result.players)))
    return replace(result, notes=tuple(notes), faults=faults, forfeited=forfeited)


def finished(store: Store, seats: int) -> Tournament:
    tournament = entered(store)
    save(store, [timed_out(one, seats) for one in results(tournament)])
    with store.write() as conn:
        tournaments.set_state(conn, tournament.id, "running")
        tournaments.set_state(conn, tournament.id, "finished")
    return tournament


@pytest.fixture
def overloaded(sqlite_store: Store) -> Store:
    finished(sqlite_store, 3)
    return sqlite_store


def test_faults_are_counted_by_cause_on_both_databases(store: Store) -> None:
    tournament = finished(store, 3)

    with store.read() as conn:
        found = verdict_on(conn, tournament.id)

    assert found.cause == "shared"
    assert found.kinds == {"timeout": found.faults}
    assert found.faults == sum(bot.faults for bot in found.bots)
    assert found.faults == 9 * tournament.planned


def test_a_worthless_tournament_says_so_on_its_page_and_in_json(overloaded: Store) -> None:
    browser = browser_on(overloaded)

    text, told = page(browser, "/tournaments/1"), data(browser, "/api/tournaments/1")

    assert "Do not trust these results." in text
    assert '<span class="tag">no</span>' in text
    assert f"<td>{told['verdict']['bots'][0]['faults']:,} timeouts</td>" in text
    assert told["verdict"]["trusted"] is False
    assert told["verdict"]["cause"] == "shared"
    assert told["verdict"]["kinds"] == {"timeout": told["verdict"]["faults"]}
    assert told["forecast_check"] is None


def test_without_faults_the_page_says_that_results_can_be_trusted(sqlite_store: Store) -> None:
    save(sqlite_store, results(entered(sqlite_store)))

    assert "All bots answered every decision in time" in page(
        browser_on(sqlite_store), "/tournaments/1"
    )


@pytest.mark.usefixtures("overloaded")
def test_commands_show_and_export_the_verdict(run: Run) -> None:
    shown = run("tournament", "show", "1").out
    (exported,) = json.loads(
        run("tournament", "export", "1", "--what", "verdict", "--format", "json").out
    )
    (row,) = csv.DictReader(io.StringIO(run("tournament", "export", "1", "--what", "verdict").out))

    assert "Verdict: Do not trust these results." in shown
    assert exported["trusted"] is False
    assert (row["trusted"], row["cause"]) == ("0", "shared")
    assert int(row["timeout"]) == exported["faults"]
    assert row["bots"] == ", ".join(bot["bot"] for bot in exported["bots"])


def test_a_first_forecast_is_kept_and_compared(
    sqlite_store: Store, redis_client: redis.Redis, redis_url: str, app: Flask
) -> None:
    tournament = entered(sqlite_store)
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, tournament.id, "running", now=1000.0)
    keep_forecast(sqlite_store, redis_client, tournament.id, 64)
    first = first_forecasts.recall(redis_client, tournament.id)
    assert first is not None
    first_forecasts.note(redis_client, tournament.id, first + 1)
    assert first_forecasts.recall(redis_client, tournament.id) == first, "the first one stays"

    redis_client.set(keys.first_forecast(tournament.id), "60.0")
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, tournament.id, "finished", now=1070.0)
    sentence = "Forecast at the start: 1 min 0 s. It took 1 min 10 s, 17% longer."
    path = f"/tournaments/{tournament.id}"
    shown = ControlService(sqlite_store, redis_url).get_tournament(pb.TournamentId(id=1))

    assert sentence in app.test_client().get(path).text
    assert data(app.test_client(), f"/api{path}")["forecast_check"] == {
        "forecast_seconds": 60.0,
        "seconds": 70.0,
        "over": True,
        "sentence": sentence,
    }
    assert shown.forecast_check.sentence == sentence


def test_no_forecast_is_kept_of_what_was_begun_before(
    sqlite_store: Store, redis_client: redis.Redis
) -> None:
    tournament = entered(sqlite_store)
    save(sqlite_store, results(tournament)[:1])
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, tournament.id, "running", now=1000.0)

    keep_forecast(sqlite_store, redis_client, tournament.id, 64)

    assert first_forecasts.recall(redis_client, tournament.id) is None


def test_reports_of_overload_halve_what_workers_play_and_count_once(
    redis_client: redis.Redis, redis_url: str
) -> None:
    async def report() -> bool:
        async with redis.asyncio.Redis.from_url(redis_url) as client:
            return await overload.note(client)

    assert overload.share(redis_client) == 1.0

    assert asyncio.run(report())
    assert overload.share(redis_client) == pytest.approx(0.5, rel=0.2)
    assert not asyncio.run(report()), "another gateway saw the same overload"

    redis_client.hset(keys.OVERLOAD, "at", time.time() - 2 * overload.AGAIN_S)
    before = overload.share(redis_client)
    assert asyncio.run(report())
    assert overload.share(redis_client) == pytest.approx(before / 2, rel=0.2)
    redis_client.hset(keys.OVERLOAD, "at", time.time() - 2 * overload.RECOVERY_S)
    assert overload.share(redis_client) == 1.0
