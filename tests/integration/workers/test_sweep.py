"""When beat sends sweeps, and what a sweep notes when a part of it fails."""

import json
import time
from datetime import datetime, timedelta, tzinfo
from typing import Self

import pytest
import redis
from celery import Celery
from celery.schedules import schedule

from arena.base import instant
from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.service.live import keys
from arena.service.live.queues import ADVANCE
from arena.store import Store
from arena.store import luck as lucks
from arena.store.registry import bots, invitations
from arena.store.tournaments import tournaments
from tests.integration.played import play
from workers.advancing.sweep import Sweep
from workers.setup import beat_scheduler
from workers.setup.app import SWEEP_S, make_app
from workers.setup.beat_scheduler import MOST_WAITING, BeatScheduler


def test_failing_daily_deals_are_not_taken_for_missing_sweeps(
    sqlite_store: Store, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise Unavailable("the table is locked")

    monkeypatch.setattr("arena.store.tournaments.daily.missing", fail)
    sweep = Sweep(sqlite_store, redis_client, advance=lambda _: None, hand_out=lambda *_: None)

    with pytest.raises(Unavailable, match="the table is locked"):
        sweep.run()

    assert redis_client.exists(keys.SWEPT)


def test_addresses_of_expired_invitations_are_deleted(
    sqlite_store: Store, redis_client: redis.Redis
) -> None:
    with sqlite_store.write() as conn:
        invitations.invite(conn, "Old", ["eve@mail.example"], 1, 1, 0.0)
        invitations.invite(conn, "New", ["fay@mail.example"], 1, 1, instant.now())
    Sweep(sqlite_store, redis_client, advance=lambda _: None, hand_out=lambda *_: None).run()
    with sqlite_store.read() as conn:
        names = {each.title: each.name for each in invitations.newest(conn, 10)}
    assert names == {"Old": "", "New": "fay@mail.example"}


@pytest.fixture
def app(sqlite_store: Store, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Celery:
    """Celery on the databases of the test."""
    monkeypatch.setenv("ARENA_REDIS_URL", redis_url)
    monkeypatch.setenv("ARENA_DATABASE_URL", str(sqlite_store.url))
    return make_app(Settings())


def test_beat_sweeps_every_time_only_while_there_may_be_work(
    app: Celery, sqlite_store: Store, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    beat = BeatScheduler(app, schedule={})
    entry = beat.Entry(name="sweep", task="arena.sweep", schedule=schedule(1.0), app=app)

    def sent() -> int:
        beat.apply_entry(entry)
        return int(redis_client.llen(ADVANCE))

    assert [sent(), sent()] == [1, 1]
    with sqlite_store.write() as conn:
        for name in ("ada", "bob"):
            bots.register(conn, name)
    number = play(sqlite_store, "ada", "bob").id  # whose luck is not known yet
    assert [sent(), sent()] == [2, 3]
    with sqlite_store.write() as conn:
        lucks.skip_all(conn, number)
    assert sent() == 3
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, number, "running")
    assert sent() == 4
    monkeypatch.setattr(beat_scheduler, "IDLE_SWEEP_S", 0.0)
    with sqlite_store.write() as conn:
        tournaments.set_state(conn, number, "finished")
    assert sent() == 5
    beat.close()


def test_beat_sweeps_after_the_system_clock_is_set_back(
    app: Celery, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    class AnHourBefore(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return super().now(tz) - timedelta(hours=1)

    monkeypatch.setattr(BeatScheduler, "_idle", lambda _: False)
    beat = BeatScheduler(app)
    beat.tick()

    monkeypatch.setattr("celery.app.base.datetime", AnHourBefore)
    time.sleep(SWEEP_S)
    beat.tick()

    assert redis_client.llen(ADVANCE) == 2
    assert beat.tick() <= SWEEP_S
    beat.close()


def test_sweeps_do_not_depend_on_the_clocks_of_machines(
    app: Celery, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    beat = BeatScheduler(app, schedule={})
    beat.apply_entry(beat.Entry(name="sweep", app=app, **app.conf.beat_schedule["sweep"]))
    beat.close()
    (message,) = redis_client.lrange(ADVANCE, 0, -1)
    headers = json.loads(message)["headers"]
    assert (headers["task"], headers["eta"], headers["expires"]) == ("arena.sweep", None, None)


def test_sweeps_do_not_pile_up_while_no_worker_runs(
    app: Celery, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BeatScheduler, "_idle", lambda _: False)
    beat = BeatScheduler(app, schedule={})
    entry = beat.Entry(name="sweep", task="arena.sweep", schedule=schedule(1.0), app=app)
    for _ in range(MOST_WAITING + 10):
        beat.apply_entry(entry)
    beat.close()

    assert redis_client.llen(ADVANCE) == MOST_WAITING
