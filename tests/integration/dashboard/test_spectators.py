"""Spectators of a running tournament see its matches, but no secrets."""

import itertools
import re
from html import unescape
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from arena.base.config import Settings
from arena.games.packed_log import decisions_in
from arena.protocol.internal.checkpoint_pb2 import SuspendedMatch
from arena.service.live import keys, spectators
from arena.store.tournaments.tournaments import Tournament
from dashboard import create_app
from dashboard.events import topics
from dashboard.sources import Sources
from dashboard.watch.show import RunningMatch, running
from tests.integration.played import play, register
from tests.integration.worker_world import FakeGateway, World
from tests.servers import no_redis
from workers.playing.shared_run import SharedRun
from workers.playing.spectators import MOST_TABLES, may_be_watched
from workers.schedule.active import ActiveMatch

clock = itertools.count(1000.0, 10.0)  # a look is due each time


@pytest.fixture
def tournament(world: World, gateway: FakeGateway) -> Tournament:
    """One whose matches last, with its bots."""
    made = world.tournament(cycles=4, options={"max_rounds": "30"})
    gateway.connect(*made.players)
    world.queue(made)
    return made


def begun(world: World, steps: int = 40) -> SharedRun:
    """A run with matches in it that have some rounds behind them."""
    run = world.shared_run()
    for _ in range(steps):
        world.step(run)
    return run


def look(run: SharedRun) -> None:
    run.spectators.look(run.runs, next(clock))


def seen(world: World, tournament: Tournament) -> RunningMatch | None:
    """The published match as a dashboard reads it."""
    found = spectators.published(world.client, tournament.id)
    if found is None:
        return None
    with world.store.read() as conn:
        return running(conn, world.read(tournament), found)


def on_stage(world: World, run: SharedRun, tournament: Tournament) -> ActiveMatch:
    """The match on show, as it is really."""
    found: Any = world.client.get(keys.on_stage(tournament.id))
    return in_play(run, tournament)[found.decode()]


def in_play(run: SharedRun, tournament: Tournament) -> dict[str, ActiveMatch]:
    """The matches in play by id, as they really are."""
    matches = run.runs[tournament.id].schedule.matches
    return {each.match.setup.id: each for each in [*matches.open.values(), *matches.to_send]}


def test_nothing_is_published_while_nobody_watches(world: World, tournament: Tournament) -> None:
    run = begun(world)
    look(run)

    assert not world.client.exists(keys.on_show(tournament.id), keys.on_stage(tournament.id))


def test_published_data_ends_with_the_last_scored_round(
    world: World, tournament: Tournament
) -> None:
    run = begun(world)
    compared = behind = 0
    for _ in range(30):
        world.step(run)
        spectators.watch(world.client, [tournament.id])
        look(run)
        blob = spectators.published(world.client, tournament.id)
        if blob is None:
            continue
        match = on_stage(world, run, tournament).match
        over = [log for log in match.game.rounds if log.points]
        kept = SuspendedMatch.FromString(blob)
        last = sum(len(log.moves) for log in over)
        assert decisions_in(kept.log) == sum(each.number <= last for each in match.logged)
        behind += decisions_in(kept.log) < len(match.logged)
        assert not kept.reasons
        shown = seen(world, tournament)
        assert shown is not None
        assert shown.course.lengths == [len(log.moves) for log in over]
        compared += len(over) > 1
        if match.finished:
            break

    assert compared > 3
    assert behind > 3  # of the round in play there was more to be told


def test_hands_are_face_down_until_their_round_is_scored(
    world: World, tournament: Tournament
) -> None:
    run = begun(world)
    spectators.watch(world.client, [tournament.id])
    look(run)
    shown = seen(world, tournament)
    assert shown is not None

    for number in range(1, len(shown.course.lengths) + 1):
        *before, scored = shown.states(number)
        for state in before:
            assert all(place.hand is None and place.penalty is None for place in state.places)
            assert state.offered is None
            assert not state.coming
            assert state.move is not None
            assert state.move.drawn == ()
            assert state.move.latency_us is None
        assert all(place.hand is not None for place in scored.places)
        assert scored.winners == ()


def test_the_same_match_stays_on_show_until_it_is_over(
    world: World, tournament: Tournament
) -> None:
    run = begun(world)
    spectators.watch(world.client, [tournament.id])
    look(run)
    first = world.client.get(keys.on_stage(tournament.id))
    for _ in range(5):
        world.step(run)
        look(run)

    assert first
    assert world.client.get(keys.on_stage(tournament.id)) == first


def test_a_second_worker_leaves_the_stage_until_the_first_one_is_gone(
    world: World, tournament: Tournament
) -> None:
    run = begun(world)
    spectators.watch(world.client, [tournament.id])
    world.client.set(keys.on_stage(tournament.id), "of another worker")
    look(run)
    assert spectators.published(world.client, tournament.id) is None

    world.client.delete(keys.on_stage(tournament.id))  # as it expires when that worker dies
    look(run)

    assert spectators.published(world.client, tournament.id) is not None


def test_what_a_dead_worker_published_is_gone_by_itself(
    world: World, tournament: Tournament
) -> None:
    run = begun(world)
    spectators.watch(world.client, [tournament.id])
    look(run)

    for key in (k(tournament.id) for k in (keys.on_show, keys.on_stage, keys.tables)):
        left = world.client.ttl(key)
        assert isinstance(left, int)
        assert 0 < left <= spectators.ON_SHOW_S
    left = world.client.ttl(keys.watched(tournament.id))
    assert isinstance(left, int)
    assert 0 < left <= spectators.WATCHED_S


def test_a_redis_that_was_emptied_is_told_again(world: World, tournament: Tournament) -> None:
    run = begun(world)
    spectators.watch(world.client, [tournament.id])
    look(run)
    world.client.delete(keys.on_show(tournament.id), keys.on_stage(tournament.id))

    look(run)

    assert seen(world, tournament) is not None


def test_other_tables_show_the_points_after_their_last_scored_round(
    world: World, tournament: Tournament
) -> None:
    run = begun(world)
    spectators.watch(world.client, [tournament.id])
    look(run)
    real = {name: each.match for name, each in in_play(run, tournament).items()}

    told = spectators.tables(world.client, tournament.id)

    assert 1 < len(told) <= MOST_TABLES
    for table in told:
        match = real[table.match]
        over = [log for log in match.game.rounds if log.points]
        assert (table.rounds, list(table.points)) == (len(over), list(over[-1].points))
        assert list(table.names) == [seat.bot for seat in match.setup.seats]
    assert any(len(real[table.match].game.rounds) > table.rounds for table in told)


def test_other_tables_are_published_every_few_seconds(world: World, tournament: Tournament) -> None:
    run = begun(world)
    spectators.watch(world.client, [tournament.id])
    start = next(clock)
    told = []
    for second in range(7):
        run.spectators.look(run.runs, start + second)
        told.append(world.client.getdel(keys.tables(tournament.id)) is not None)

    assert told == [True, False, False, True, False, False, True]


def test_a_redis_that_is_away_costs_the_run_nothing(world: World, tournament: Tournament) -> None:
    run = begun(world)
    run.spectators._client = no_redis()
    look(run)  # raises nothing


def test_deals_that_are_played_more_than_once_are_never_on_show(
    world: World, gateway: FakeGateway
) -> None:
    shared = world.tournament(
        deals=2, format_options={"deals": "duplicate"}, options={"max_rounds": "30"}
    )
    gateway.connect(*shared.players)
    world.queue(shared)
    run = begun(world)
    spectators.watch(world.client, [shared.id])
    look(run)

    assert not may_be_watched(world.read(shared))
    names = keys.on_show(shared.id), keys.on_stage(shared.id), keys.tables(shared.id)
    assert not world.client.exists(*names)


# On the dashboard


@pytest.fixture
def app(world: World) -> Flask:
    return create_app(Settings(secret_key="for tests"), world.store, world.client)


@pytest.fixture
def browser(app: Flask) -> FlaskClient:
    return app.test_client()


def test_a_match_in_play_is_on_show_a_round_behind(
    world: World, tournament: Tournament, browser: FlaskClient
) -> None:
    run = begun(world)
    browser.get(f"/tournaments/{tournament.id}/watch/live")  # a spectator
    look(run)

    text = browser.get(f"/tournaments/{tournament.id}/watch").text

    assert 'data-kind="play"' in text
    hands = re.findall(r'<p class="hand-line"[^>]*>(.*?)</p>', text, re.DOTALL)
    assert len(hands) == 3
    assert not any(re.search(r"card-\w", hand) for hand in hands)
    told = browser.get(f"/tournaments/{tournament.id}/watch/frames?round=1").get_json()
    assert told["frames"][-1]["key"] == "scored-1"
    shown = seen(world, tournament)
    assert shown is not None
    beyond = len(shown.course.lengths) + 1
    refused = browser.get(f"/tournaments/{tournament.id}/watch/frames?round={beyond}")
    assert refused.status_code == 404


def test_standings_and_other_tables_are_next_to_the_match_on_show(
    world: World, tournament: Tournament, browser: FlaskClient
) -> None:
    run = begun(world)
    browser.get(f"/tournaments/{tournament.id}/watch/live")
    look(run)
    others = spectators.tables(world.client, tournament.id)

    page = f"/tournaments/{tournament.id}/watch"
    for address in (page, live_part(browser, page)):
        text = browser.get(address).text
        assert text.count('<li class="sheet">') == len(others) - 1  # without the one on show
        assert 'id="places"' in text
    assert text.count('hx-swap-oob="morph"') == 2


def test_a_frame_on_another_site_gets_only_the_match_on_show(
    tournament: Tournament, browser: FlaskClient
) -> None:
    address = live_part(browser, f"/embed/tournaments/{tournament.id}")

    assert "hx-swap-oob" not in browser.get(address).text  # it has no place for other parts


def live_part(browser: FlaskClient, page: str) -> str:
    """The address from which a page updates its featured match."""
    (address,) = re.findall(r'hx-get="([^"]+/watch/live[^"]*)"', browser.get(page).text)
    return unescape(address)


def test_stored_matches_are_played_by_one_clock_on_every_dashboard(world: World) -> None:
    register(world.store, "ada", "bob")
    stored = play(world.store, "ada", "bob")
    other = create_app(Settings(secret_key="for tests"), world.store, world.client)
    here = create_app(Settings(secret_key="for tests"), world.store, world.client)

    shown = [
        re.search(
            r'data-match="(\w+)"', each.test_client().get(f"/tournaments/{stored.id}/watch").text
        )
        for each in (here, other, here)
    ]

    assert len({found[1] for found in shown if found}) == 1
    assert all(shown)


def test_without_redis_stored_matches_are_shown_all_the_same(world: World) -> None:
    register(world.store, "ada", "bob")
    stored = play(world.store, "ada", "bob")
    away = create_app(Settings(secret_key="for tests"), world.store, no_redis())

    text = away.test_client().get(f"/tournaments/{stored.id}/watch").text

    assert 'data-kind="stored"' in text


def test_locked_matches_are_not_on_show(world: World, browser: FlaskClient) -> None:
    register(world.store, "ada", "bob")
    locked = play(world.store, "ada", "bob", only=1)

    text = browser.get(f"/tournaments/{locked.id}/watch").text

    assert "data-match" not in text
    assert "stay hidden until a deal is complete" in text


def test_a_table_of_people_cannot_be_watched(world: World, browser: FlaskClient) -> None:
    register(world.store, "ada", "bob")
    table = play(world.store, "ada", "bob", kind="table")

    assert browser.get(f"/tournaments/{table.id}/watch").status_code == 404
    assert browser.get(f"/tournaments/{table.id}/watch/frames").status_code == 404


def test_who_listens_watches(world: World, tournament: Tournament, app: Flask) -> None:
    found = app.extensions["arena"]
    assert isinstance(found, Sources)
    before = topics.marks(found, [f"watch-{tournament.id}"])
    assert spectators.watched(world.client, [tournament.id]) == [tournament.id]

    run = begun(world)
    look(run)

    assert topics.marks(found, [f"watch-{tournament.id}"]) != before
