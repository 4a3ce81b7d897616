"""Honest bots during an attack: their decision times, and the time to connect.

Each bot gets one decision after the other, timed from the worker's message in Redis to the reply.
They connect from an exempt address, the attackers from another one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from http.client import HTTPConnection
from itertools import cycle
from math import inf
from multiprocessing.connection import Connection
from typing import Any

import grpc.aio
import redis.asyncio

from arena.protocol.internal.relay_pb2 import Delivery, InboxMessage, Replies, Reply
from arena.protocol.v1 import play_pb2 as pb
from arena.service.live import keys

PAUSE_S = 0.01
TIME_MS = 1000
COMING_S = 0.25  # between newcomers
AGAIN_S = 0.1  # until a rejected newcomer tries again


@dataclass
class Seen:
    """Observations since the last request."""

    taken: list[float] = field(default_factory=list)  # seconds for each decision
    faults: list[str] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)  # seconds for each page
    entered: list[float] = field(default_factory=list)  # seconds for each newcomer to connect
    came: float | None = None  # start of a waiting newcomer, monotonic clock

    def told(self) -> Seen:
        """The observations; a waiting newcomer counts with the time so far."""
        waits = [] if self.came is None else [time.monotonic() - self.came]
        told = replace(self, entered=self.entered + waits)
        self.taken, self.faults, self.pages, self.entered = [], [], [], []
        return told


def play(
    port: int,
    pages: int,
    redis_url: str,
    players: dict[int, str],
    newcomers: Sequence[str],
    pipe: Connection,
) -> None:
    """Plays until the pipe sends "stop". Replies to "next" with a `Seen` of the time since.
    Newcomers (by token) connect in sequence and leave at once."""
    asyncio.run(_play(port, pages, redis_url, players, newcomers, pipe))


async def _play(
    port: int,
    pages: int,
    redis_url: str,
    players: dict[int, str],
    newcomers: Sequence[str],
    pipe: Connection,
) -> None:
    client = redis.asyncio.Redis.from_url(redis_url)
    seen = Seen()
    bots = [asyncio.create_task(_bot(port, token)) for token in players.values()]
    await asyncio.sleep(1.5)
    (found,) = await client.keys(keys.gateway("*"))
    gateway = bytes(found).decode().rpartition(":")[2]  # type: ignore[arg-type]
    pipe.send("ready")
    going_on = [asyncio.create_task(_ask(client, gateway, player, seen)) for player in players]
    going_on.append(asyncio.create_task(_come(port, newcomers, seen)))
    going_on.append(asyncio.create_task(_visit(pages, seen)))
    while (word := await asyncio.to_thread(pipe.recv)) != "stop":
        if word == "next":
            pipe.send(seen.told())
    for task in (*going_on, *bots):
        task.cancel()
    await asyncio.gather(*going_on, *bots, return_exceptions=True)
    await client.aclose()


async def _visit(port: int, seen: Seen) -> None:
    """A visitor at a different address than the attackers, who opens a page repeatedly."""
    while True:
        began = time.monotonic()
        answered = await asyncio.to_thread(_answered, port)
        seen.pages.append(time.monotonic() - began if answered else inf)
        await asyncio.sleep(PAUSE_S)


def _answered(port: int) -> bool:
    with closing(HTTPConnection("127.0.0.1", port, 30, ("127.0.0.2", 0))) as connection:
        try:
            connection.request("GET", "/sign-in")
            return connection.getresponse().status == HTTPStatus.OK
        except OSError:
            return False


async def _come(port: int, newcomers: Sequence[str], seen: Seen) -> None:
    """A newcomer that tries to connect like our SDK, until it succeeds."""
    for token in cycle(newcomers):
        seen.came = time.monotonic()
        while True:
            if await _enters(port, token):
                break
            await asyncio.sleep(AGAIN_S)
        seen.entered.append(time.monotonic() - seen.came)
        seen.came = None
        await asyncio.sleep(COMING_S)


async def _enters(port: int, token: str) -> bool:
    """Whether the first message is a welcome."""
    async with _channel(port) as channel:
        call = _connect(channel, token)
        try:
            await call.write(pb.BotMessage(hello=HELLO))
            return isinstance(await call.read(), pb.ArenaMessage)
        except grpc.aio.AioRpcError:
            return False


async def _ask(client: redis.asyncio.Redis, gateway: str, player: int, seen: Seen) -> None:
    """Acts as a worker with one match of this player."""
    reply_list, ticket = keys.new_reply_list(), 0
    while True:
        ticket += 1
        view = pb.View(match="m", number=ticket, game="lama", actions=["draw"], indices=[1])
        decision = pb.Decision(ticket=ticket, time_ms=TIME_MS, view=view)
        delivery = Delivery(
            player=player,
            reply_to=reply_list,
            tickets=[ticket],
            decisions=[decision.SerializeToString()],
            time_ms=TIME_MS,
        )
        began = time.monotonic()
        message = InboxMessage(deliveries=[delivery]).SerializeToString()
        await client.rpush(keys.inbox(gateway), message)
        popped: Any = await client.blpop([reply_list], timeout=30)
        if popped is None:
            seen.faults.append("nothing came")
            continue
        seen.taken.append(time.monotonic() - began)
        others = Replies.FromString(popped[1]).others
        seen.faults.extend(Reply.Outcome.Name(reply.outcome) for reply in others)
        await asyncio.sleep(PAUSE_S)


HELLO = pb.Hello(games=["lama"], protocol=1, max_in_flight=16)


def _channel(port: int) -> grpc.aio.Channel:
    options = (("grpc.use_local_subchannel_pool", 1),)
    return grpc.aio.insecure_channel(f"[::1]:{port}", options=options)


def _connect(channel: grpc.aio.Channel, token: str) -> Any:
    method: Any = channel.stream_stream(
        "/arena.v1.Play/Connect",
        pb.BotMessage.SerializeToString,
        pb.ArenaMessage.FromString,
    )
    return method(metadata=(("authorization", f"Bearer {token}"),))


async def _bot(port: int, token: str) -> None:
    """Answers at once."""
    async with _channel(port) as channel:
        call = _connect(channel, token)
        await call.write(pb.BotMessage(hello=HELLO))
        while isinstance(message := await call.read(), pb.ArenaMessage):
            choices = [pb.Choice(ticket=one.ticket, index=1) for one in message.batch.decisions]
            if choices:
                await call.write(pb.BotMessage(choices=pb.Choices(choices=choices)))
