"""Presence, mail and dispatch over a real Redis; and the server that is brought along."""

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import psutil
import pytest
import redis
import redis.asyncio

from arena.base.errors import Unavailable
from arena.operations import embedded
from arena.operations.embedded import redis_binary, redis_command
from arena.protocol.internal.relay_pb2 import Delivery, InboxMessage, Replies, Reply
from arena.service.live import connect as connecting
from arena.service.live import keys
from arena.service.live.connect import connect, connect_async
from arena.service.live.dispatch import send_advance
from arena.service.live.mailbox import Outgoing, collect, deliver
from arena.service.live.player_presence import Presence
from arena.service.live.presence import (
    any_gateway,
    beat,
    claim,
    gateways_alive,
    present,
    refresh,
    release,
    stop_beating,
)
from arena.service.live.queues import ADVANCE
from tests.servers import embedded_redis

NORA = Presence(
    player=1,
    bot="nora",
    version="1",
    gateway="here",
    session="",
    since=1_800_000_000.5,
    games=("lama",),
    min_seats=2,
    max_seats=4,
    max_in_flight=8,
    sdk="test/1",
)


def with_async_client(url: str, steps: Callable[[redis.asyncio.Redis], Awaitable[None]]) -> None:
    async def run() -> None:
        client = await connect_async(url)
        try:
            await steps(client)
        finally:
            await client.aclose()

    asyncio.run(run())


# Presence


def test_the_newest_session_owns_the_presence(redis_url: str, redis_client: redis.Redis) -> None:
    async def steps(client: redis.asyncio.Redis) -> None:
        old = await claim(client, NORA)
        new = await claim(client, replace(NORA, gateway="there"))
        assert int(new.session) > int(old.session)
        assert present(redis_client, [1, 2]) == {1: new}
        assert await refresh(client, [old]) == [old]
        assert await refresh(client, [replace(new, in_flight=3)]) == []
        await release(client, old)
        assert present(redis_client, [1])[1].in_flight == 3
        await release(client, new)
        assert present(redis_client, [1]) == {}

    with_async_client(redis_url, steps)


def test_a_claim_is_told_to_all_gateways(redis_url: str, redis_client: redis.Redis) -> None:
    async def steps(client: redis.asyncio.Redis) -> None:
        with redis_client.pubsub() as channel:  # type: ignore[no-untyped-call]
            channel.subscribe(keys.REPLACED)
            channel.get_message(timeout=5)
            presence = await claim(client, NORA)
            told = channel.get_message(timeout=5)
            assert told is not None
            assert told["data"].decode() == f"1 {presence.session} here"

    with_async_client(redis_url, steps)


def test_presence_expires_unless_refreshed(redis_url: str, redis_client: redis.Redis) -> None:
    async def steps(client: redis.asyncio.Redis) -> None:
        presence = await claim(client, NORA)
        assert 0 < redis_client.ttl(keys.presence(1)) <= 10
        redis_client.persist(keys.presence(1))
        await refresh(client, [presence])
        assert 0 < redis_client.ttl(keys.presence(1)) <= 10

    with_async_client(redis_url, steps)


def test_presences_come_back_after_redis_forgot_them(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async def steps(client: redis.asyncio.Redis) -> None:
        presence = await claim(client, NORA)
        redis_client.flushall()
        assert await refresh(client, [presence]) == []
        assert present(redis_client, [1]) == {1: presence}
        assert int((await claim(client, NORA)).session) > int(presence.session)

    with_async_client(redis_url, steps)


def test_a_gateways_heart_is_heard_until_it_stops(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async def steps(client: redis.asyncio.Redis) -> None:
        assert not any_gateway(redis_client)
        assert gateways_alive(redis_client, []) == set()
        await beat(client, "here")
        assert any_gateway(redis_client)
        assert gateways_alive(redis_client, ["here", "there", "here"]) == {"here"}
        assert 0 < redis_client.ttl(keys.gateway("here")) <= 3
        await stop_beating(client, "here")
        assert gateways_alive(redis_client, ["here"]) == set()

    with_async_client(redis_url, steps)


# Mail


def bundle(*tickets: int) -> bytes:
    """Answers to some questions, and one error."""
    answered = tickets[1:]
    zeros = [0] * len(answered)
    replies = Replies(tickets=answered, indices=zeros, latencies_us=zeros)
    replies.others.add(ticket=tickets[0], outcome=Reply.ERROR, error="tired")
    return replies.SerializeToString()


def gathered(client: redis.Redis, *rest: Any) -> list[Replies]:
    return [replies for _, replies in collect(client, *rest)]


def tickets_of(found: list[Replies]) -> list[int]:
    return [
        ticket
        for replies in found
        for ticket in (*(reply.ticket for reply in replies.others), *replies.tickets)
    ]


def test_mail_lies_in_the_inbox_in_order_and_does_not_stay_for_ever(
    redis_client: redis.Redis,
) -> None:
    deliver(redis_client, {"a": [Delivery(player=1), Delivery(player=2)], "b": [], "c": []})
    (message,) = cast("list[bytes]", redis_client.lrange(keys.inbox("a"), 0, -1))
    assert [delivery.player for delivery in InboxMessage.FromString(message).deliveries] == [1, 2]
    assert 0 < redis_client.ttl(keys.inbox("a")) <= 60
    assert not redis_client.exists(keys.inbox("b"))


def inbox_of(client: redis.Redis, gateway: str) -> list[int]:
    messages = cast("list[bytes]", client.lrange(keys.inbox(gateway), 0, -1))
    return [each.player for one in messages for each in InboxMessage.FromString(one).deliveries]


def test_outgoing_mail_does_not_wait_for_redis(redis_client: redis.Redis) -> None:
    with Outgoing(redis_client) as outgoing:
        outgoing.deliver({"a": [Delivery(player=1)]})
        redis_client.client_pause(1000)
        began = time.monotonic()
        outgoing.deliver({"a": [Delivery(player=2)]})
        assert time.monotonic() - began < 0.5
    assert inbox_of(redis_client, "a") == [1, 2]
    assert 0 < redis_client.ttl(keys.inbox("a")) <= 60


def test_outgoing_mail_goes_again_after_a_lost_connection(redis_client: redis.Redis) -> None:
    with Outgoing(redis_client) as outgoing:
        outgoing.deliver({"a": [Delivery(player=1)]})
        redis_client.client_kill_filter(_type="normal", skipme=True)
        outgoing.deliver({"a": [Delivery(player=2)]})
        outgoing.deliver({"a": [Delivery(player=3)]})
    found = inbox_of(redis_client, "a")
    assert {1, 2, 3} == {*found}
    assert found[-1] == 3


def test_outgoing_mail_that_redis_refuses_is_an_error_at_the_latest_at_the_end(
    redis_client: redis.Redis,
) -> None:
    redis_client.set(keys.inbox("a"), "no list")
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"), Outgoing(redis_client) as outgoing:
        outgoing.deliver({"a": [Delivery(player=1)]})
    redis_client.delete(keys.inbox("a"))
    assert redis_client.ping()  # the connection is of use again
    with Outgoing(redis_client) as outgoing:
        outgoing.deliver({"a": [Delivery(player=1)]})
    assert inbox_of(redis_client, "a") == [1]


def test_collecting_gives_up_when_nothing_comes(redis_client: redis.Redis) -> None:
    began = time.monotonic()
    assert gathered(redis_client, [keys.new_reply_list()], 0.1, 5, 30) == []
    assert time.monotonic() - began < 20


def test_collecting_waits_for_enough_replies(redis_client: redis.Redis) -> None:
    replies = keys.new_reply_list()

    def answer() -> None:
        for ticket in range(10):
            time.sleep(0.01)
            redis_client.rpush(replies, bundle(ticket))

    bots = threading.Thread(target=answer)
    bots.start()
    found = gathered(redis_client, [replies], 5, 6, 5)
    bots.join()
    assert 6 <= len(found) < 10
    found += gathered(redis_client, [replies], 5, 10 - len(found), 5)
    assert tickets_of(found) == list(range(10))


def test_collecting_gathers_for_a_moment_only(redis_client: redis.Redis) -> None:
    replies = keys.new_reply_list()
    redis_client.rpush(replies, bundle(1, 2), bundle(3))
    began = time.monotonic()
    found = gathered(redis_client, [replies], 5, 100, 0.002)
    assert tickets_of(found) == [1, 2, 3]
    assert time.monotonic() - began < 4  # it does not wait five seconds for the rest


def test_replies_are_had_as_they_come(redis_client: redis.Redis) -> None:
    first, second = keys.new_reply_list(), keys.new_reply_list()
    redis_client.rpush(second, bundle(1, 2))
    coming = collect(redis_client, [first, second], 5, 3, 5)
    came_on, replies = next(coming)
    assert (came_on, tickets_of([replies])) == (second, [1, 2])
    redis_client.rpush(first, bundle(3))
    came_on, replies = next(coming)
    assert (came_on, tickets_of([replies])) == (first, [3])
    assert next(coming, None) is None


# Dispatch


def test_a_task_lies_in_its_queue_after_dispatch(redis_url: str, redis_client: redis.Redis) -> None:
    send_advance(redis_url, 7)
    messages: Any = redis_client.lrange(ADVANCE, 0, -1)
    (message,) = [json.loads(text) for text in messages]
    assert message["headers"]["task"] == "arena.advance"
    assert message["headers"]["argsrepr"] == "[7]"


def test_dispatch_without_redis_fails_soon_and_clearly() -> None:
    began = time.monotonic()
    for _ in range(2):
        with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1 cannot be reached.*arena up"):
            send_advance("redis://:secret@127.0.0.1:1/0", 7)
    assert time.monotonic() - began < 10


# Connecting


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda url: "redis://:secret@127.0.0.1:1/0", r"at 127\.0\.0\.1:1 cannot be reached"),
        (lambda url: url.replace("redis://:", "redis://:x"), "rejects the password"),
        (lambda url: "127.0.0.1:6379", "Write it like redis://HOST:PORT/0"),
    ],
)
def test_a_redis_that_cannot_be_used_is_explained(
    redis_url: str, change: Callable[[str], str], sentence: str
) -> None:
    with pytest.raises(Unavailable, match=sentence) as caught:
        connect(change(redis_url))
    assert "secret" not in str(caught.value)
    with pytest.raises(Unavailable, match=sentence):
        asyncio.run(connect_async(change(redis_url)))


def test_a_redis_too_old_is_named(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "OLDEST_VERSION", (99, 0))
    with pytest.raises(Unavailable, match=r"is too old \(\d+\.\d+.*Upgrade it to 6.2 or newer"):
        connect(redis_url)


# The embedded server


def test_embedded_server_requires_a_hidden_password() -> None:
    with embedded_redis() as url:
        port, password = int(url.rpartition(":")[2].split("/")[0]), url[9:].split("@")[0]
        assert len(password) > 20
        listed = [" ".join(each.info["cmdline"] or ()) for each in psutil.process_iter(["cmdline"])]
        assert any("redis-server" in line or "valkey-server" in line for line in listed)
        assert not any(password in line for line in listed)
        with redis.Redis(port=port) as stranger, pytest.raises(redis.AuthenticationError):
            stranger.ping()
    assert not embedded.redis_answers(port, password)


def test_a_taken_port_is_noticed() -> None:
    with embedded_redis() as url:
        port = int(url.rpartition(":")[2].split("/")[0])
        process = subprocess.Popen(
            redis_command(redis_binary()), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
        process.communicate(embedded.redis_config(port, "pw"), timeout=10)
        assert process.returncode != 0


def test_a_server_on_path_is_preferred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("valkey-server", "redis-server"):
        binary = tmp_path / name
        binary.write_text("#!/bin/sh\n")
        binary.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        assert redis_binary() == binary


def test_without_one_on_path_the_server_in_the_wheel_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with embedded_redis() as url, redis.Redis.from_url(url) as client:
        assert client.info("server")["server_name"] == "valkey"


def test_without_any_server_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(embedded, "_bundled_binary", lambda: None)
    with pytest.raises(Unavailable, match="Install redis-server or valkey-server"):
        redis_binary()


def test_workers_can_use_all_of_this_without_grpc() -> None:
    modules = ["connect", "dispatch", "keys", "mailbox", "presence"]
    imports = ", ".join(f"arena.service.live.{module}" for module in modules)
    code = f"import sys, {imports}, arena.protocol.codec; sys.exit('grpc' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
