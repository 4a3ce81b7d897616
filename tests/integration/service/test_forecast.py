"""Forecasts from what gateways, store and Redis know, and where they are told."""

import asyncio
import json
import re
import time
from contextlib import AsyncExitStack
from typing import Any

import pytest
import redis
import redis.asyncio
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.games.packed_log import latency_code
from arena.protocol.v1 import control_pb2 as pb
from arena.sdk import Bot, View
from arena.service.control.service import ControlService
from arena.service.forecast import forecast, measured, schedule, seen
from arena.service.forecast.entrants import rate
from arena.service.live import keys
from arena.service.live.paces import note, paces
from arena.service.live.player_presence import AnswerCounts, Paces
from arena.store import Store
from arena.store.matches import matches
from arena.store.projections import latencies
from arena.store.registry import bots
from arena.store.reports import runs as latest
from arena.store.tables import plans
from arena.store.tournaments import creation, tournaments
from arena.tournaments.formats import TournamentSpec, check_spec
from dashboard import create_app
from tests.integration import worker_world
from tests.integration.api_world import data
from tests.integration.conftest import Run
from tests.integration.dashboard.test_new_tournament import filled, preview, words
from tests.integration.gateway_world import scenario, until, world
from tests.integration.people import person
from tests.integration.played import play, register
from tests.integration.sdk.test_sdk import Second, running
from tests.made_results import entered, result, results, save
from tests.made_results import schedule as planned

# A bot that answers 5 questions a second, one after the other, however many it takes.
SLOW = Paces(8, {"lama": {1: AnswerCounts(20.0, 20.0, 100.0), 4: AnswerCounts(20.0, 160.0, 100.0)}})


def remember(url: str, known: dict[int, Paces]) -> None:
    async def go() -> None:
        async with redis.asyncio.Redis.from_url(url) as client:
            await note(client, known)

    asyncio.run(go())


# What gateways count


@scenario
async def test_answer_rates_outlive_the_connection(sqlite_store: Store, redis_url: str) -> None:
    class Slowly(Second):
        max_in_flight = 4

        def choose(self, view: View) -> str:
            time.sleep(0.01)
            return view.actions[1]

    async with world(sqlite_store, redis_url) as w:
        async with running(w, Slowly()):
            w.ask("nora", *range(1, 61), game="lama")
            await w.replies(60)
        player = w.players["nora"]
        await until(
            lambda: not w.gateways[0].sessions.registry.sessions or paces(w.client, [player])
        )
        await until(lambda: paces(w.client, [player])[player].by_game)
        (kept,) = paces(w.client, [player]).values()

    assert kept.max_in_flight == 4
    counted = rate(kept.by_game["lama"], 4)
    assert counted is not None
    assert counted.per_second < 100, "it takes four at once and answers one after the other"
    assert 0 < w.client.ttl(keys.paces(player)) <= 90 * 86_400


@scenario
async def test_a_bot_that_comes_back_is_known(sqlite_store: Store, redis_url: str) -> None:
    async with world(sqlite_store, redis_url) as w:
        player = w.register("nora")
        async with redis.asyncio.Redis.from_url(redis_url) as client:
            await note(client, {player: SLOW})
        await w.connect("nora", max_in_flight=3, games=["lama"])
        registry = w.gateways[0].sessions.registry
        counted = rate(registry.sessions[player].meter.by_game["lama"], 8)
        assert counted is not None
        assert counted.per_second == pytest.approx(5)
        await w.gateways[0].sessions.refresh()
        assert paces(w.client, [player])[player].max_in_flight == 3


# The whole way


class Quick(Bot):
    """Thinks of nothing."""

    max_in_flight = 64

    def choose(self, view: View) -> int:
        return view.indices[0]


class Slowpoke(Bot):
    """Thinks about two at a time."""

    max_in_flight = 2

    async def choose(self, view: View) -> int:
        await asyncio.sleep(0.01)
        return view.indices[0]


@scenario
async def test_a_tournament_with_a_slow_bot_took_as_long_as_is_foreseen_now(
    sqlite_store: Store, redis_url: str
) -> None:
    """Real gateway, real bots, a real worker. What was measured in the very run that is to be
    foreseen makes the forecast, so that it does not matter how busy this machine is."""
    async with world(sqlite_store, redis_url, grace_s=10.0) as w, AsyncExitStack() as stack:
        for name in ("ann", "bob", "cho"):
            await stack.enter_async_context(running(w, Quick(), name))
        await stack.enter_async_context(running(w, Slowpoke(), "slowpoke"))
        asked = TournamentSpec(bots=(*w.players,), seats=2, matches=4, options={"max_rounds": "3"})
        spec = check_spec(asked)
        with sqlite_store.write() as conn:
            made = creation.create(conn, spec)
        worker = worker_world.World(sqlite_store, w.client, grace_s=10.0)
        ended = await asyncio.to_thread(worker.play_all, made)
        assert (ended.state, ended.played) == ("finished", 24)
        await w.gateways[0].sessions.refresh()
        with sqlite_store.read() as conn:
            told = measured(conn, spec, made.players)
            stored = list(matches.iterate_matches(conn, made.id))
        found = forecast(schedule(spec, 24), told, seen(w.client, told.players), 64)

    took = max(match.finished for match in stored) - min(match.started for match in stored)
    assert found.slowest is not None
    assert found.slowest.bot == "slowpoke"
    assert 0.4 < found.seconds / took < 2.5
    assert found.slowest.at_once == 2
    assert found.unmeasured == found.away == ()


# Where it is told


@pytest.fixture
def known(sqlite_store: Store, redis_url: str) -> Store:
    """Three bots that have played, of which ann is slow and bob slower than cho, however often the
    cards had each of them asked."""
    register(sqlite_store, "ann", "bob", "cho")
    play(sqlite_store, "ann", "bob", "cho", deals=2)
    with sqlite_store.write() as conn:
        ann, bob, cho = bots.get_all(conn, ["ann", "bob", "cho"])
        took = {ann: 1_600_000, bob: 9_000, cho: 900}  # microseconds
        answers = {
            bot.player: latencies.histogram(200 * bytes([latency_code(us)]))
            for bot, us in took.items()
        }
        latencies.add(conn, "lama", answers)
    remember(redis_url, {ann.player: SLOW})
    return sqlite_store


def league(**asked: Any) -> pb.TournamentSpec:
    return pb.TournamentSpec(
        **{"game": "lama", "seats": 2, "bots": ["ann", "bob", "cho"], "matches": 200, **asked}
    )


def test_the_control_foresees_a_tournament_and_creates_none(known: Store, redis_url: str) -> None:
    control = ControlService(known, redis_url)

    found = control.forecast_tournament(league())

    assert (found.matches, found.at_most, found.waits) == (600, False, True)
    assert found.slowest.bot == "ann"
    assert found.slowest.at_once == 8
    assert found.slowest.per_second == pytest.approx(5)
    assert found.seconds > found.slowest.seconds > 10 * found.without_slowest
    assert list(found.away) == ["ann", "bob", "cho"]
    assert re.match(
        r"About .*: ann answers in .* and takes 8 decisions at once, about 5 a second; "
        r"without waiting for it .*\.",
        found.sentences[0],
    )
    assert found.sentences[1] == "Not connected, counted at their latest speed: ann, bob, cho."
    assert len(control.list_tournaments(pb.ListTournamentsRequest()).tournaments) == 1


def test_format_that_may_end_early_has_an_upper_bound(known: Store, redis_url: str) -> None:
    found = ControlService(known, redis_url).forecast_tournament(
        league(format="versus", bots=["ann", "bob"], matches=20)
    )

    assert found.at_most
    assert found.sentences[0].startswith("At most ")


def test_a_test_under_way_says_when_it_is_likely_to_end(known: Store, redis_url: str) -> None:
    control = ControlService(known, redis_url)
    created = control.create_tournament(league(format="versus", seats=2, bots=["ann", "bob"]))
    tested = {
        "played": 400,
        "tested": 400,
        "total": 56,
        "squares": 400,
        "better": 1.5,
        "worse": -2.0,
    }
    with known.write() as conn:
        tournaments.set_state(conn, created.id, "running")
        row = {"tournament": created.id, "blocks": 20, "matches": 400, "so_far": json.dumps(tested)}
        conn.execute(plans.insert(), row)

    told = control.get_tournament(pb.TournamentId(id=created.id)).forecast
    browser = create_app(Settings(), known, None).test_client()

    assert told.at_most
    assert 400 < told.likely_matches < 1_500 < told.matches
    assert told.likely_seconds == pytest.approx(
        told.seconds * told.likely_matches / told.matches, abs=0.1
    )
    assert " left, about " in told.sentences[0]
    page = browser.get(f"/tournaments/{created.id}").text
    assert re.search(r"at most [^<]+ left, about [^<]+ if results go on as so far", page)
    assert data(browser, f"/api/tournaments/{created.id}")["likely_seconds_left"] > 0


def test_a_tournament_that_runs_says_how_long_it_will_still_take(
    known: Store, redis_url: str
) -> None:
    control = ControlService(known, redis_url)
    created = control.create_tournament(league())
    request = pb.TournamentId(id=created.id)

    waiting = control.get_tournament(request).forecast
    with known.write() as conn:
        tournaments.set_state(conn, created.id, "running")
    running_ = control.get_tournament(request).forecast
    with known.write() as conn:
        tournaments.set_state(conn, created.id, "cancelled")

    assert waiting.matches == running_.matches == 600
    assert " left: ann answers" in running_.sentences[0]
    assert not control.get_tournament(request).HasField("forecast"), "it is over"


def test_a_dry_run_on_the_command_line_creates_nothing(run: Run, known: Store) -> None:
    arguments = ("tournament", "new", "--all", "--seats", "2", "--matches", "200", "--dry-run")

    shown = run(*arguments)
    as_json = json.loads(run(*arguments, "--json").out)

    assert shown.status == 0, "the arena need not run"
    first, second = shown.out.splitlines()[:2]
    assert first == "600 matches."
    assert second.startswith("About ")
    assert as_json["matches"] == 600
    assert as_json["slowest"]["bot"] in ("ann", "bob", "cho")
    assert json.loads(run("tournament", "list", "--json").out)["tournaments"][0]["id"] == 1


@pytest.fixture
def olga(known: Store, redis_client: redis.Redis, redis_url: str) -> FlaskClient:
    """An organiser."""
    app = create_app(Settings(redis_url=redis_url), known, redis_client)
    return person(app, known, "olga", organiser=True)


def test_the_form_names_the_slowest_bot(olga: FlaskClient) -> None:
    text = words(preview(olga, filled(seats="2", table_matches="200", bots=["ann", "bob", "cho"])))

    assert "The slowest bot is ann, which answers in" in text
    assert "takes 8 decisions at once, about 5 a second. Without it: " in text
    assert "have never been measured" not in text
    assert "Not connected: ann, bob, cho" in text


def test_the_form_says_whom_it_knows_nothing_of(olga: FlaskClient, known: Store) -> None:
    register(known, "zoe")

    text = words(preview(olga, filled(seats="2", bots=["bob", "cho", "zoe"])))

    assert "Not included, because they have never been measured: zoe." in text


def test_a_tournament_that_runs_says_on_its_page_whom_all_wait_for(
    olga: FlaskClient, known: Store, redis_url: str
) -> None:
    created = ControlService(known, redis_url).create_tournament(league())
    path = f"/tournaments/{created.id}"

    assert "About" in words(olga.get(path).text), "while it waits for its bots"
    with known.write() as conn:
        tournaments.set_state(conn, created.id, "running")
    page, told = words(olga.get(path).text), data(olga, f"/api{path}")

    assert "left: ann answers in" in page
    assert told["waits_for"]["bot"] == "ann"
    assert told["waits_for"]["at_once"] == 8
    assert told["seconds_left"] > told["waits_for"]["seconds"] > 1000
    (shown,) = data(olga, "/api/overview")["running"]
    assert shown["waits_for"] == told["waits_for"]
    assert "ann answers in" in words(olga.get("/").text)


def test_without_redis_pages_tell_what_the_database_knows(known: Store) -> None:
    browser = create_app(Settings(), known, None).test_client()
    with known.write() as conn:
        made = creation.create(conn, check_spec(TournamentSpec(bots=("ann", "bob"), seats=2)))
        tournaments.set_state(conn, made.id, "running")

    told = data(browser, f"/api/tournaments/{made.id}")

    assert told["seconds_left"] > 0


# The latest matches, on both databases


def test_runs_are_what_was_played_without_a_pause(store: Store) -> None:
    tournament = entered(store, deals=12)  # a match each second
    found = results(tournament)
    late = [one for one in found if one.position >= 60]
    shifted = [
        type(one)(**{**_fields(one), "started": one.started + 500, "finished": one.finished + 500})
        for one in late
    ]
    save(store, [*(one for one in found if one.position < 60), *shifted])
    with store.read() as conn:
        assert latest.runs(conn, "lama", 3) == [], "those in flight are not counted yet"
    with store.write() as conn:
        tournaments.set_state(conn, tournament.id, "finished")

    with store.read() as conn:
        newest, oldest = latest.runs(conn, "lama", 3)
        (other, _) = latest.runs(conn, "dice", 2)

    assert oldest.matches == 60
    assert oldest.seconds == 60
    assert newest.matches == len(late)
    assert newest.newest == max(one.finished for one in shifted)
    assert sum(newest.sat.values()) == pytest.approx(3 * len(late))
    assert (other.game, other.seats) == ("lama", 3), "where there are none, other kinds tell"


def _fields(one: Any) -> dict[str, Any]:
    return {name: getattr(one, name) for name in type(one).__dataclass_fields__}


def test_decisions_are_counted_in_matches_with_the_same_options(store: Store) -> None:
    register(store, "ann", "bob", "cho")
    played = play(store, "ann", "bob", "cho", deals=8)  # 48 matches
    with store.read() as conn:
        options = tournaments.get(conn, played.id).spec.options
        counted = latest.decisions(conn, "lama", 2, options)
        assert counted is not None
        assert 5 < counted < 300
        assert latest.decisions(conn, "lama", 2, {"max_rounds": "3"}) is None
        assert latest.decisions(conn, "lama", 3, options) is None


def test_damaged_log_does_not_affect_forecasts(store: Store) -> None:
    tournament = entered(store)
    save(store, [result(tournament, one, (1, 2, 3)) for one in planned(tournament)])

    with store.read() as conn:
        assert latest.decisions(conn, "lama", 3, tournament.spec.options) is None
