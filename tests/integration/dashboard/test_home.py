"""The first page: how the arena is, and what a newcomer does in an empty one."""

import re
import time
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient
from sqlalchemy import update

from arena.base.config import Settings
from arena.service.live import incidents, keys, ready, vitals
from arena.service.live.player_presence import Presence, encode
from arena.service.live.queues import QUEUES
from arena.store import Store
from arena.store.registry import bots
from arena.store.tables import matches as matches_table
from arena.store.tournaments import tournaments
from dashboard import create_app
from dashboard.overview import view
from tests.integration.played import play, register
from tests.made_results import entered, result, results, save, schedule
from tests.servers import no_redis


@pytest.fixture
def running(sqlite_store: Store, redis_client: redis.Redis) -> FlaskClient:
    """A browser on the dashboard of an arena with a gateway, a worker and its clock."""
    redis_client.set(keys.ANY_GATEWAY, "g1")
    redis_client.eval(vitals.BEAT, 1, keys.GATEWAYS, "g1")
    vitals.beat_worker(redis_client, "w1", QUEUES)
    vitals.swept(redis_client)
    return create_app(Settings(), sqlite_store, redis_client).test_client()


def text(browser: FlaskClient, path: str = "/") -> str:
    answer = browser.get(path)
    assert answer.status_code == 200, answer.text
    return answer.text


def health(browser: FlaskClient) -> dict[str, Any]:
    answer = browser.get("/api/health")
    assert answer.status_code == 200, answer.text
    found = answer.get_json()
    assert isinstance(found, dict)
    return found


def connect_bot(client: redis.Redis, bot: bots.RegisteredBot) -> None:
    here = Presence(
        player=bot.player, bot=bot.name, version=bot.version, gateway="g1", session="1",
        since=1000.0, games=("lama",), min_seats=2, max_seats=6, max_in_flight=8, sdk="",
        in_flight=3, latency_ms=1.25,
    )  # fmt: skip
    client.set(keys.presence(bot.player), encode(here))


# A newcomer


def test_an_empty_arena_tells_a_newcomer_what_to_do_in_three_steps(browser: FlaskClient) -> None:
    shown = text(browser)

    steps = re.findall(r"<h3>([^<]+)</h3>", shown)
    assert steps == ["Create a bot", "Connect it", "Let it play"]
    assert 'href="/sign-up"' in shown
    assert "arena bot add NAME" in shown


def test_the_steps_are_gone_when_something_was_played(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    register(sqlite_store, "ada", "bob")
    play(sqlite_store, "ada", "bob")

    assert "<h3>" not in text(browser)


def test_a_visitor_is_told_what_this_is_and_what_to_do(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    empty = text(browser)
    register(sqlite_store, "ada", "bob")
    play(sqlite_store, "ada", "bob")

    shown = text(browser)

    assert re.search(r"<h1[^>]*>Bots play L.A.M.A.", shown)
    for words, address in (("Bring a bot", "/sdk"), ("Play", "/play")):
        button = rf'<a class="button[^"]*" href="{address}">{words}</a>'
        assert re.search(button, empty)
        assert re.search(button, shown)
    assert not re.search(r'class="button[^"]*"[^>]*>Watch<', empty)  # there is nothing yet
    assert re.search(r'href="/matches/[^"]+/replay">Watch</a>', shown)


def test_a_match_lies_on_the_table_as_it_ended(browser: FlaskClient, sqlite_store: Store) -> None:
    register(sqlite_store, "ada", "bob")
    play(sqlite_store, "ada", "bob")

    shown = text(browser)

    assert 'class="board seats-2 of-' in shown
    assert "wins" in shown.partition('class="board')[2]
    assert browser.get(re.findall(r'href="(/matches/[^"]+/replay)"', shown)[0]).status_code == 200


def test_only_organisers_see_operations_and_only_on_the_status_page(
    running: FlaskClient, olga: FlaskClient
) -> None:
    home, public, status = text(olga), text(running, "/status"), text(olga, "/status")

    assert "Bots connected" in public
    for word in ("Gateways", "Workers", "Batches", "/readyz"):
        assert word in status
        assert word not in home + public


# How it is


def test_health_of_a_working_arena_has_all_fields(
    running: FlaskClient, olga: FlaskClient, redis_client: redis.Redis, sqlite_store: Store
) -> None:
    register(sqlite_store, "ada", "bob")
    with sqlite_store.read() as conn:
        connect_bot(redis_client, bots.get(conn, "ada"))
    ready.add(redis_client, 1, range(2), matches=10)

    told = health(running)

    assert told["problems"] == []
    assert (told["redis"], told["gateways"], told["workers"]) == (True, 1, 1)
    assert (told["queued"], told["played"], told["sweeping"]) == (2, 0, True)
    assert (told["bots"], told["connected"]) == (2, 1)
    shown = text(olga, "/status")
    assert "2 waiting, 0 being played" in shown
    assert "1 of 2" in shown
    assert "alarm" not in shown + text(running)


def test_a_version_that_a_host_cannot_play_is_named_in_the_status_only(
    running: FlaskClient, redis_client: redis.Redis
) -> None:
    redis_client.zadd(keys.HOSTS, {"host": time.time()})
    redis_client.set(keys.host_failure("host"), "ada@2 cannot be hosted\nThe disk is full.")

    assert "ada@2 cannot be hosted by a host. " in text(running, "/status")
    assert "not working" not in text(running)


def test_without_a_worker_it_says_so_on_the_page_and_as_json(
    running: FlaskClient, redis_client: redis.Redis
) -> None:
    vitals.worker_gone(redis_client, "w1", QUEUES)

    assert "No worker is running" in health(running)["problems"][0]
    assert "No worker is running" in text(running, "/status")
    assert "<code>arena worker</code>" in text(running, "/status")
    assert "Part of the arena is not working" in text(running)
    assert "arena worker" not in text(running)


def test_a_tournament_that_cannot_go_on_is_named_while_it_is_under_way(
    running: FlaskClient, redis_client: redis.Redis, sqlite_store: Store
) -> None:
    sick, well = (
        entered(sqlite_store, names) for names in (("ada", "bob", "eve"), ("cyd", "dan", "fay"))
    )
    incidents.note(redis_client, sick.id, KeyError("postgresql://arena:hunter2@db"), 60)

    (problem,) = health(running)["problems"]
    shown = text(running, "/status")
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, sick.id, "cancelled")

    assert problem.startswith(f"Tournament {sick.id} cannot progress (KeyError).")
    assert f"Tournament {sick.id} cannot progress (KeyError)" in shown
    assert f"Tournament {well.id} cannot" not in shown
    assert "hunter2" not in shown
    assert health(running)["problems"] == []


def test_status_without_connected_bots_says_how_to_connect_one(running: FlaskClient) -> None:
    assert "<code>arena bot connect FILE:CLASS</code>" in text(running, "/status")


def test_a_redis_that_does_not_answer_is_named(sqlite_store: Store) -> None:
    browser = create_app(Settings(), sqlite_store, no_redis()).test_client()

    told = health(browser)

    assert told["redis"] is False
    assert told["workers"] is told["connected"] is None
    assert "Redis cannot be reached" in told["problems"][0]
    assert "Redis cannot be reached" in text(browser, "/status")
    assert "Live data is unavailable" in text(browser)


def test_matches_per_second_are_those_of_the_last_minute(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    tournament = entered(sqlite_store)
    now = time.time()
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, tournament.id, "running", now=now - 600)
    save(sqlite_store, results(tournament))
    with sqlite_store.write() as conn:  # thirty of them just now, the others long ago
        row = matches_table.c
        conn.execute(update(matches_table).where(row.position < 30).values(finished=now - 5))
        conn.execute(update(matches_table).where(row.position >= 30).values(finished=now - 100))

    told = health(browser)

    assert told["matches_per_second"] == pytest.approx(0.5)
    assert told["last_match"] == pytest.approx(now - 100)  # that stored last
    assert told["running"] == 1


def test_matches_that_wait_for_their_turn_explain_a_lagging_elo(
    running: FlaskClient, sqlite_store: Store
) -> None:
    tournament = entered(sqlite_store)
    early = [result(tournament, p, [0, 5, 9]) for p in schedule(tournament)[1:4]]
    save(sqlite_store, early)

    assert health(running)["unrated"] == 3
    assert "3 not rated yet" in text(running, "/status")
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, tournament.id, "running")
    assert "Elo is updated in schedule order" in text(running, "/status")


# What is shown


def test_home_shows_some_running_tournaments_and_links_to_the_others(
    browser: FlaskClient, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(view.UNDER_WAY + 4):
        entered(sqlite_store)
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, 7, "running")
    monkeypatch.setattr(view, "MOST_UNDER_WAY", 6)

    shown, told = text(browser), browser.get("/api/overview").get_json()

    listed = re.findall(r'<h2><a href="/tournaments/(\d+)"', shown)
    assert listed == ["7", "1", "2"]  # what runs comes first
    assert '<a href="/tournaments">4 more tournaments under way</a>' in shown
    assert len(told["running"]) == 6
    assert told["under_way"] == 7


def test_watch_opens_a_tournament_whose_matches_in_play_are_shown(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    hidden = entered(sqlite_store)  # with duplicate deals
    shown = entered(sqlite_store, matches=3)
    link = '<a class="button button-quiet" href="/tournaments/{}/watch">Watch</a>'
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, hidden.id, "running")
    assert link.format(hidden.id) not in text(browser)
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, shown.id, "running")

    assert link.format(shown.id) in text(browser)


def test_latest_results_say_who_won_and_that_a_victory_is_shared(
    browser: FlaskClient, sqlite_store: Store
) -> None:
    tournament = entered(sqlite_store)
    first, second = schedule(tournament)[:2]
    save(
        sqlite_store, [result(tournament, first, [3, 3, 9]), result(tournament, second, [1, 2, 3])]
    )

    shown = text(browser, "/live")
    assert 'class="board' not in text(browser)  # made up: it cannot be played once more

    assert shown.count("shared victory") == 1
    assert len(re.findall(r'<li class="won">', shown)) == 3
    assert f'<a href="/tournaments/{tournament.id}">{tournament.spec.name}</a>' in shown


def test_the_live_part_is_one_fragment_and_is_made_anew_only_when_something_is_new(
    browser: FlaskClient, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[float] = []
    more = view._more

    def counted(now: float) -> Any:
        made.append(now)
        return more(now)

    monkeypatch.setattr(view, "_more", counted)
    register(sqlite_store, "ada", "bob")
    monkeypatch.setattr("dashboard.events.topics.HOME_S", 1e9)

    part = text(browser, "/live")
    assert part.lstrip().startswith('<div id="live"')
    assert part.count('id="live"') == 1
    assert text(browser, "/live") == part
    assert part in text(browser)
    assert len(made) == 1
    play(sqlite_store, "ada", "bob")

    assert text(browser, "/live") != part
    assert len(made) == 2
