"""A worker's slots are free again whatever happens to Redis."""

import logging
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import kombu
import kombu.transport.redis
import kombu.utils.functional
import pytest
import redis
from celery import Celery
from celery.schedules import schedule

from arena.base.config import Settings
from arena.operations.embedded import (
    redis_answers,
    redis_binary,
    redis_command,
    redis_config,
    redis_url,
)
from tests.captured_logs import captured_logs
from tests.servers import free_port
from workers.setup import beat_scheduler, broker
from workers.setup.app import make_app
from workers.setup.beat_scheduler import BeatScheduler
from workers.setup.broker import BrokerConnection

PASSWORD = "secret"
TASKS = kombu.Queue("tasks")


class Enough(Exception):
    """A test has seen what it wanted to see."""


class Server:
    """A Redis that keeps its data while it is away."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = redis_url(self.port, PASSWORD)
        kept = f"dir {folder}\nappendonly yes\nappendfsync always\n".encode()
        self._config = redis_config(self.port, PASSWORD).replace(b"appendonly no\n", kept)
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(
            redis_command(redis_binary()), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
        assert self._process.stdin
        self._process.stdin.write(self._config)
        self._process.stdin.close()
        limit = time.monotonic() + 30
        while not redis_answers(self.port, PASSWORD):
            assert time.monotonic() < limit
            time.sleep(0.02)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(30)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    yield server
    server.stop()


@contextmanager
def consumer(app: Celery, messages: list[kombu.Message]) -> Iterator[kombu.Connection]:
    """Takes one task at a time, as a worker with one process does."""
    with app.connection_for_read() as connection:
        channel = connection.channel()
        kombu.Consumer(channel, [TASKS], on_message=messages.append, prefetch_count=1).consume()
        yield connection


def come(connection: kombu.Connection, messages: list[kombu.Message], count: int) -> None:
    """Waits until so many tasks have come in all."""
    limit = time.monotonic() + 30
    while len(messages) < count:
        assert time.monotonic() < limit, "no further task was taken"
        with suppress(TimeoutError):
            connection.drain_events(timeout=0.2)


def test_a_task_that_ended_while_redis_was_away_keeps_no_slot_and_does_not_come_again(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    app = make_app(Settings(redis_url=server.url))
    messages: list[kombu.Message] = []
    with consumer(app, messages) as before:
        producer = kombu.Producer(before.channel())
        for number in (1, 2):
            producer.publish(number, routing_key=TASKS.name, declare=[TASKS])
        come(before, messages, 1)

        server.stop()
        messages[0].ack_log_error(logging.getLogger("celery"), before.connection_errors)
        assert caplog.records == []  # nothing is lost, so nothing is critical
        # So it asks for tasks again, and notices that its connection is broken.
        channel = messages[0].channel
        assert channel is not None
        assert channel.qos.can_consume()
        with pytest.raises(redis.ConnectionError):
            come(before, messages, 2)
        server.start()

    with consumer(app, messages) as after, redis.Redis.from_url(server.url) as client:
        assert client.hlen("unacked") == 1
        come(after, messages, 2)
        messages[1].ack()

        assert [message.payload for message in messages] == [1, 2]
        assert client.hlen("unacked") == client.zcard("unacked_index") == 0


def test_a_wrong_clock_does_not_repeat_tasks_that_others_are_running(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(Settings(redis_url=server.url))
    messages: list[kombu.Message] = []
    with consumer(app, messages) as running, redis.Redis.from_url(server.url) as client:
        kombu.Producer(running.channel()).publish(1, routing_key=TASKS.name, declare=[TASKS])
        real = time.time
        for ahead in (-10_800, 10_800):
            come(running, messages, 1)
            monkeypatch.setattr(kombu.transport.redis, "time", lambda: real() + ahead)  # noqa: B023
            with consumer(app, messages) as other:
                restore(other)
                assert client.hlen("unacked") == client.zcard("unacked_index") == 1
                assert client.llen(TASKS.name) == 0
            messages.pop().reject(requeue=True)


def test_a_task_whose_worker_died_is_forgotten(server: Server) -> None:
    app = make_app(Settings(redis_url=server.url))
    app.conf.broker_transport_options["visibility_timeout"] = 0
    messages: list[kombu.Message] = []
    with consumer(app, messages) as dead, redis.Redis.from_url(server.url) as client:
        kombu.Producer(dead.channel()).publish(1, routing_key=TASKS.name, declare=[TASKS])
        come(dead, messages, 1)
        with consumer(app, messages) as other:
            restore(other)
        assert client.hlen("unacked") == client.zcard("unacked_index") == 0
        assert client.llen(TASKS.name) == 0


def restore(connection: kombu.Connection) -> None:
    """What a worker does every few seconds."""
    connection.transport.cycle.maybe_restore_messages()  # type: ignore[attr-defined]  # not in the stubs


def test_a_worker_tries_to_connect_every_few_seconds_however_long_redis_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kombu.utils.functional, "sleep", lambda seconds: None)
    app = make_app(Settings(redis_url=redis_url(free_port(), PASSWORD)))
    pauses: list[float] = []

    def failed(_: BrokerConnection, error: BaseException, pause: float) -> None:
        pauses.append(pause)
        if len(pauses) > 200:
            raise Enough

    monkeypatch.setattr(BrokerConnection, "_failed", failed)
    # As the consumer of a worker does.
    with app.connection_for_read() as connection, pytest.raises(Enough):
        connection.ensure_connection(None, app.conf.broker_connection_max_retries)

    assert pauses[:3] == [1, 2, 2]
    assert max(pauses) == 2


@contextmanager
def out_of_memory(url: str) -> Iterator[Callable[[], object]]:
    """Redis refuses writes until the function is called, or the block is left."""
    with redis.Redis.from_url(url) as client:
        client.config_set("maxmemory", 1)
        try:
            yield lambda: client.config_set("maxmemory", 0)
        finally:
            client.config_set("maxmemory", 0)


def test_a_worker_waits_for_a_redis_that_refuses_writes(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(Settings(redis_url=server.url))
    messages: list[kombu.Message] = []
    with consumer(app, messages) as before:
        kombu.Producer(before.channel()).publish(1, routing_key=TASKS.name, declare=[TASKS])
        with out_of_memory(server.url) as end:
            # Celery connects again after these errors, and ends the worker after others.
            with pytest.raises(before.connection_errors):
                come(before, messages, 1)
            pauses: list[float] = []

            def sleep(seconds: float) -> None:
                pauses.append(seconds)
                if len(pauses) == 10:
                    end()

            monkeypatch.setattr(kombu.utils.functional, "sleep", sleep)
            with captured_logs(broker) as logs, app.connection_for_read() as after:
                after.ensure_connection(None, app.conf.broker_connection_max_retries)
                assert after.connected
    assert len(pauses) >= 10
    (reason,) = {each["reason"] for each in logs if each["event"] == "waiting for Redis"}
    assert f"Redis at 127.0.0.1:{server.port} refuses writes: its memory is full." in reason


def test_beat_says_in_one_line_why_no_sweep_is_sent(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_REDIS_URL", server.url)
    app = make_app(Settings())
    scheduler = BeatScheduler(app, schedule={})
    entry = scheduler.Entry(name="sweep", task="arena.sweep", schedule=schedule(1.0), app=app)
    with captured_logs(beat_scheduler) as logs, out_of_memory(server.url):
        scheduler.apply_entry(entry)
        scheduler.apply_entry(entry)
    first, second = logs
    assert first == second  # the log counts the second one, instead of writing it
    assert "refuses writes: its memory is full" in first["reason"]
    assert "exc_info" not in first

    with captured_logs(beat_scheduler) as logs:
        scheduler.apply_entry(entry)
    assert logs == []
    with redis.Redis.from_url(server.url) as client:
        assert client.llen("arena-advance") == 1
