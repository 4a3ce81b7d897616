"""A machine whose clock is an hour ahead: what it stores, and that it is named."""

import asyncio
import socket
import time

import pytest
import redis
from sqlalchemy import select, text

from arena.base import instant
from arena.base.instant import SharedClock
from arena.service.health.facts import stored as known
from arena.service.health.services import MOST_APART_S, check_clocks
from arena.service.live import clocks, hosting, keys, presence, vitals
from arena.service.live.connect import connect_async
from arena.service.live.queues import PLAY
from arena.store import Store
from arena.store.tables import matches, tournaments
from tests.integration.worker_world import FakeGateway, World

HOUR_S = 3600.0


@pytest.fixture
def an_hour_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process's clock is wrong, and it has not asked the database yet."""
    right = time.time
    monkeypatch.setattr(instant, "database_clock", SharedClock())
    monkeypatch.setattr(time, "time", lambda: right() + HOUR_S)


def database_time(store: Store) -> float:
    with store.read() as conn:
        return float(conn.scalar(text("SELECT extract(epoch FROM clock_timestamp())")) or 0)


@pytest.mark.usefixtures("an_hour_ahead")
def test_a_worker_stores_times_of_the_database(
    postgres_store: Store, redis_client: redis.Redis, gateway: FakeGateway
) -> None:
    world, before = World(postgres_store, redis_client), database_time(postgres_store)
    tournament = world.tournament()
    gateway.connect(*tournament.players)
    world.play_all(tournament)
    after = database_time(postgres_store)

    row = tournaments.c
    with postgres_store.read() as conn:
        played = conn.execute(select(matches.c.started, matches.c.finished)).all()
        stored = conn.execute(select(row.created, row.started, row.finished)).one()
        last_match = known(conn, instant.now()).numbers["last_match"]
    assert len(played) == tournament.planned
    for started, finished in played:
        assert before - 1 < started <= finished < after + 1
    assert all(before - 1 < each < after + 1 for each in stored if each is not None)
    assert -1 < instant.now() - last_match < after - before + 60


def reported(client: redis.Redis) -> list[clocks.MachineClock]:
    """The clocks without that of Redis itself."""
    found = clocks.clocks_with_redis(client)
    return [each for each in found if each.process != clocks.REDIS]


def test_each_kind_of_process_reports_its_clock_with_its_heartbeat(
    redis_client: redis.Redis, redis_url: str
) -> None:
    async def beat() -> None:
        client = await connect_async(redis_url)
        await presence.beat(client, "g1")
        await hosting.beat(client, "one@here")
        await client.aclose()

    asyncio.run(beat())
    vitals.beat_worker(redis_client, "w1", (PLAY,))
    hosting.hold_house(redis_client, "h1")
    found = reported(redis_client)

    assert [each.process for each in found] == ["gateway", "host", "house", "worker"]
    assert {each.host for each in found} == {socket.gethostname()}
    assert all(abs(each.ahead_s) < MOST_APART_S for each in found)


def test_a_machine_whose_clock_is_ahead_is_found_by_others(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    clocks.report(redis_client, "beat")
    with monkeypatch.context() as elsewhere:
        right = time.time
        elsewhere.setattr(time, "time", lambda: right() + HOUR_S)
        elsewhere.setattr(socket, "gethostname", lambda: "elsewhere")
        clocks.report(redis_client, "worker")

    (said,) = check_clocks(reported(redis_client))
    assert said.sentence.startswith("The clock of elsewhere (worker) is ")
    assert said.sentence.endswith(" ahead of the database's.")


def test_it_is_the_databases_clock_that_others_are_compared_with(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    clocks.report(redis_client, "worker")
    right = time.time
    monkeypatch.setattr(instant, "now", lambda: right() - HOUR_S)  # the database's

    (found,) = reported(redis_client)
    assert HOUR_S - 1 < found.ahead_s < HOUR_S + 60


def test_wrong_clock_of_redis_is_found(
    redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds, micros = redis_client.time()
    assert clocks.clocks_with_redis(redis_client) == []
    monkeypatch.setattr(redis_client, "time", lambda: (seconds - int(HOUR_S), micros))
    clocks.report(redis_client, "worker")

    worker, of_redis = clocks.clocks_with_redis(redis_client)
    assert abs(worker.ahead_s) < 60
    assert of_redis.process == "Redis"
    assert -HOUR_S - 60 < of_redis.ahead_s < -HOUR_S + 1


def test_a_process_that_ended_is_forgotten(redis_client: redis.Redis) -> None:
    clocks.report(redis_client, "worker")
    redis_client.zadd(keys.CLOCKS_REPORTED, {f"worker@{socket.gethostname()}": 1})
    assert reported(redis_client) == []

    clocks.report(redis_client, "beat")
    assert list(redis_client.hgetall(keys.CLOCKS)) == [f"beat@{socket.gethostname()}".encode()]
