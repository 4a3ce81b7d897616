"""Heartbeats in Redis: gateways, workers by queue, sweeps, and the work that waits."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import redis
import redis.asyncio

from arena.service.live import hosting, keys, ready, vitals
from arena.service.live.presence import beat, stop_beating
from arena.service.live.queues import ADVANCE, LUCK, PLAY, PROMPT, QUEUES, REVIEW
from workers.setup.heartbeat import HeartbeatStep


def found(client: redis.Redis) -> vitals.Vitals:
    return vitals.vitals(client)


def test_empty_redis_has_no_live_processes(redis_client: redis.Redis) -> None:
    assert replace(found(redis_client), up_s=0) == vitals.Vitals(
        gateways=0,
        workers=dict.fromkeys(QUEUES, 0),
        hanging=0,
        sweeping=False,
        queued=dict.fromkeys(QUEUES, 0),
        played=0,
        up_s=0,
    )


def test_workers_are_counted_by_the_queues_they_take_from(redis_client: redis.Redis) -> None:
    vitals.beat_worker(redis_client, "one", QUEUES)
    vitals.beat_worker(redis_client, "two", (ADVANCE, PROMPT))
    vitals.beat_worker(redis_client, "one", QUEUES)

    assert found(redis_client).workers == {PLAY: 1, PROMPT: 2, ADVANCE: 2, REVIEW: 1, LUCK: 1}

    vitals.worker_gone(redis_client, "one", QUEUES)
    assert found(redis_client).workers == {PLAY: 0, PROMPT: 1, ADVANCE: 1, REVIEW: 0, LUCK: 0}


def test_hosts_are_counted(redis_client: redis.Redis, redis_url: str) -> None:
    async def as_hosts() -> None:
        async with redis.asyncio.from_url(redis_url) as client:
            assert await hosting.beat(client, "one@here") == 1
            assert await hosting.beat(client, "two@there") == 2
            assert found(redis_client).hosts == 2
            assert vitals.alive_on(redis_client, "there", keys.HOSTS) == {"two@there"}

            await hosting.stop_beating(client, "two@there")
            assert found(redis_client).hosts == 1

    asyncio.run(as_hosts())


def test_process_without_recent_heartbeats_is_dead(redis_client: redis.Redis) -> None:
    vitals.beat_worker(redis_client, "one", (PLAY,))
    seconds, _ = redis_client.time()
    redis_client.zadd(keys.workers(PLAY), {"old": seconds - vitals.ALIVE_S - 2})

    assert found(redis_client).workers[PLAY] == 1
    assert found(redis_client).silent == (vitals.Silent("worker", "old", vitals.ALIVE_S + 2),)


def test_whether_a_silent_process_of_this_machine_exists_is_known(
    redis_client: redis.Redis,
) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    here = socket.gethostname()
    names = (f"arena-{os.getpid()}@{here}", f"arena-{ended.pid}@{here}", "arena-1@elsewhere")
    seconds, _ = redis_client.time()
    redis_client.zadd(keys.workers(PLAY), dict.fromkeys(names, seconds - 30))

    assert {each.name: each.gone for each in found(redis_client).silent} == {
        names[0]: False,
        names[1]: True,
        names[2]: False,
    }


def test_gateways_are_counted(redis_url: str, redis_client: redis.Redis) -> None:
    async def go() -> None:
        async with redis.asyncio.Redis.from_url(redis_url) as client:
            await beat(client, "here")
            await beat(client, "there")
            await beat(client, "here")
            assert found(redis_client).gateways == 2
            await stop_beating(client, "there")

    asyncio.run(go())

    assert found(redis_client).gateways == 1


def test_waiting_and_playing_batches_are_counted(redis_client: redis.Redis) -> None:
    redis_client.rpush(PLAY, "task")
    redis_client.rpush(ADVANCE, "task")
    ready.add(redis_client, 1, range(4), matches=10)
    ready.claim(redis_client, "run", 15, 1)

    assert found(redis_client).queued == {PLAY: 3, PROMPT: 0, ADVANCE: 1, REVIEW: 0, LUCK: 0}
    assert found(redis_client).played == 1


def test_a_batch_whose_worker_died_does_not_count_for_long(redis_client: redis.Redis) -> None:
    ready.add(redis_client, 1, [0], matches=10)
    ready.claim(redis_client, "run", 15, 1)
    redis_client.zincrby(keys.PLAYING, -17, "1:0")

    assert found(redis_client).played == 0


def test_a_sweep_leaves_a_mark_that_fades(redis_client: redis.Redis) -> None:
    vitals.swept(redis_client)

    assert found(redis_client).sweeping
    assert 0 < redis_client.ttl(keys.SWEPT) <= vitals.SWEPT_S


class Timer:
    """Of a worker: what it is to call, and whether it still does."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.cancelled = False

    def call_repeatedly(self, seconds: float, call: Any, arguments: tuple[Any, ...]) -> Timer:
        self.calls.append((seconds, call, arguments))
        return self

    def cancel(self) -> None:
        self.cancelled = True


@pytest.fixture
def worker(redis_url: str) -> SimpleNamespace:
    """As much of a Celery worker as its heartbeat needs."""
    queues = SimpleNamespace(consume_from={ADVANCE: None, PROMPT: None})
    amqp = SimpleNamespace(queues=queues)
    app = SimpleNamespace(amqp=amqp, conf=SimpleNamespace(broker_url=redis_url))
    return SimpleNamespace(app=app, hostname="arena-1@here", timer=Timer(), concurrency=2)


def test_a_worker_beats_from_its_start_to_its_end(
    redis_client: redis.Redis, worker: SimpleNamespace
) -> None:
    step = HeartbeatStep(worker)

    step.start(worker)
    started = found(redis_client).workers
    redis_client.flushall()
    ((seconds, call, arguments),) = worker.timer.calls
    call(*arguments)
    beating = found(redis_client).workers
    step.stop(worker)

    assert started == beating == {PLAY: 0, PROMPT: 1, ADVANCE: 1, REVIEW: 0, LUCK: 0}
    assert seconds == vitals.BEAT_S
    assert worker.timer.cancelled
    assert found(redis_client).workers == dict.fromkeys(QUEUES, 0)
    step.stop(worker)  # twice does no harm
    call(*arguments)  # nor does a beat that comes late


def test_a_worker_survives_a_redis_that_is_away(worker: SimpleNamespace) -> None:
    worker.app.conf.broker_url = "redis://127.0.0.1:1/0"
    step = HeartbeatStep(worker)

    step.start(worker)
    step.terminate(worker)

    assert worker.timer.cancelled
