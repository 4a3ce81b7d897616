"""A gateway with real Redis, store and gRPC; the test plays the worker and, by hand, the bots."""

import asyncio
import contextlib
import functools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import grpc
import grpc.aio
import redis
import redis.asyncio

from arena.base.config import Settings
from arena.protocol.decisions import encode_decision
from arena.protocol.internal.relay_pb2 import Delivery, Replies, Reply
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk import Decisions, View
from arena.service.control.port import Control
from arena.service.control.service import ControlService
from arena.service.gateway.gateway import Gateway
from arena.service.live import keys
from arena.service.live.connect import connect, connect_async
from arena.service.live.mailbox import collect, deliver
from arena.service.live.player_presence import Presence
from arena.service.live.presence import present
from arena.store import Store
from arena.store.registry import bots, hosts

ADMIN = "admin-token"
LIMIT_S = 30.0


def scenario(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Lets an async function be a test."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(asyncio.wait_for(test(*args, **kwargs), LIMIT_S))

    return run


async def until(condition: Callable[[], Any], limit_s: float = 10.0) -> Any:
    """Waits until the condition holds; gives its value."""
    limit = time.monotonic() + limit_s
    while not (value := condition()):
        assert time.monotonic() < limit, "the condition did not come true"
        await asyncio.sleep(0.005)
    return value


def decision(ticket: int, time_ms: int = 2000) -> bytes:
    view = pb.View(match="m", number=ticket, game="lama", actions=["draw", "quit"], indices=[1, 0])
    return pb.Decision(ticket=ticket, time_ms=time_ms, view=view).SerializeToString()


class BotStream:
    """A bot's end of a session, moved by hand."""

    def __init__(self, port: int, token: str, host_of: str = "") -> None:
        options = (("grpc.use_local_subchannel_pool", 1),)
        self.channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options)
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        if host_of:
            metadata = (*metadata, ("arena-bot", host_of))
        connect: grpc.aio.StreamStreamMultiCallable[pb.BotMessage, pb.ArenaMessage] = (
            self.channel.stream_stream(
                "/arena.v1.Play/Connect",
                pb.BotMessage.SerializeToString,
                pb.ArenaMessage.FromString,
            )
        )
        self.call = connect(metadata=metadata)
        self.batches: list[pb.Batch] = []

    async def say(self, **message: Any) -> None:
        await self.call.write(pb.BotMessage(**message))

    async def hello(self, **fields: Any) -> pb.Welcome:
        fields = {"games": ["lama"], "protocol": 1, "max_in_flight": 16, **fields}
        await self.say(hello=pb.Hello(**fields))
        message = await self.read()
        assert message.WhichOneof("kind") == "welcome", message
        return message.welcome

    async def answer(self, *tickets: int, index: int = 1) -> None:
        choices = [pb.Choice(ticket=ticket, index=index) for ticket in tickets]
        await self.say(choices=pb.Choices(choices=choices))

    async def read(self) -> pb.ArenaMessage:
        message: Any = await self.call.read()
        assert isinstance(message, pb.ArenaMessage), await self.call.code()
        return message

    async def decisions(self, count: int) -> list[pb.Decision]:
        """The next decisions, over as many batches as they take."""
        found: list[pb.Decision] = []
        while len(found) < count:
            message = await self.read()
            assert message.WhichOneof("kind") == "batch", message
            found.extend(message.batch.decisions)
        return found

    async def status(self) -> tuple[grpc.StatusCode, str]:
        """How the call ended, once it has."""
        with contextlib.suppress(grpc.aio.AioRpcError):
            while await self.call.read() is not grpc.aio.EOF:
                pass
        return await self.call.code(), str(await self.call.details())

    async def hang_up(self) -> None:
        await self.channel.close()


@dataclass(frozen=True)
class Replied:
    """What became of a question."""

    outcome: Reply.Outcome
    index: int | None
    action: str
    error: str
    latency_us: int


def collected(client: redis.Redis, reply_list: str, *limits: Any) -> list[Replies]:
    """What a worker collects from one list; for a thread, as it blocks."""
    return [replies for _, replies in collect(client, [reply_list], *limits)]


def replied(replies: Replies) -> list[tuple[int, Replied]]:
    """All of a bundle, with their tickets."""
    answers = zip(replies.tickets, replies.indices, replies.latencies_us, strict=True)
    return [
        *((ticket, Replied(Reply.ANSWER, index, "", "", us)) for ticket, index, us in answers),
        *(
            (one.ticket, Replied(one.outcome, None, one.action, one.error, one.latency_us))
            for one in replies.others
        ),
    ]


@dataclass
class World:
    """Everything a scenario needs."""

    settings: Settings
    store: Store
    url: str
    client: redis.Redis
    reply_list: str = field(default_factory=keys.new_reply_list)
    control: Control | None = None
    clients: list[redis.asyncio.Redis] = field(default_factory=list)
    gateways: list[Gateway] = field(default_factory=list)
    tokens: dict[str, str] = field(default_factory=dict)
    players: dict[str, int] = field(default_factory=dict)
    streams: list[BotStream] = field(default_factory=list)

    async def gateway(self, **changes: Any) -> Gateway:
        """Starts one more gateway."""
        settings = self.settings.model_copy(update=changes)
        client = await connect_async(self.url)
        self.clients.append(client)
        control = self.control or ControlService(self.store, self.url)
        gateway = Gateway(settings, self.store, client, control)
        await gateway.start()
        self.gateways.append(gateway)
        return gateway

    def register(self, name: str) -> int:
        with self.store.write() as connection:
            bot, self.tokens[name] = bots.register(connection, name)
        self.players[name] = bot.player
        return bot.player

    async def dial(self, name: str, gateway: Gateway | None = None) -> BotStream:
        """Opens a stream without saying anything."""
        if name not in self.tokens:
            self.register(name)
        stream = BotStream((gateway or self.gateways[0]).port, self.tokens[name])
        self.streams.append(stream)
        return stream

    async def connect(self, name: str, gateway: Gateway | None = None, **hello: Any) -> BotStream:
        """Opens a session."""
        stream = await self.dial(name, gateway)
        await stream.hello(**hello)
        return stream

    def register_hosted(self, name: str) -> int:
        """A bot whose version 2 is hosted."""
        self.register(name)
        with self.store.write() as connection:
            bot = bots.new_version(connection, name, hosted=True)
        self.players[f"{name}@2"] = bot.player
        return bot.player

    def register_host(self) -> hosts.Host:
        with self.store.write() as connection:
            host, self.tokens["host"] = hosts.register(connection, "rack-3")
        return host

    async def dial_host(
        self, host_of: str, gateway: Gateway | None = None, token: str = ""
    ) -> BotStream:
        """Opens a stream of the host for a hosted version, without saying anything."""
        port = (gateway or self.gateways[0]).port
        stream = BotStream(port, token or self.tokens["host"], host_of)
        self.streams.append(stream)
        return stream

    async def connect_host(
        self, host_of: str, gateway: Gateway | None = None, **hello: Any
    ) -> BotStream:
        """Opens a session of the host for a hosted version."""
        stream = await self.dial_host(host_of, gateway)
        await stream.hello(**hello)
        return stream

    def presence(self, name: str) -> Presence | None:
        return present(self.client, [self.players[name]]).get(self.players[name])

    def ask(self, name: str, *tickets: int, time_ms: int = 2000, **delivery: Any) -> None:
        """Plays the worker that asks; to the gateway where the bot is present."""
        gateway_id = delivery.pop("gateway_id", None)
        if gateway_id is None:
            presence = self.presence(name)
            gateway_id = presence.gateway if presence else self.gateways[0].id
        if "decisions" not in delivery:
            delivery["decisions"] = [decision(ticket, time_ms) for ticket in tickets]
        mail = Delivery(
            player=self.players[name],
            tickets=tickets,
            time_ms=time_ms,
            **{"reply_to": self.reply_list, **delivery},
        )
        deliver(self.client, {gateway_id: [mail]})

    def ask_packed(
        self, name: str, views: Mapping[int, View], plain: Mapping[int, View] | None = None
    ) -> None:
        """As `ask`, with these views by ticket, for a bot that reads them packed; others beside
        them are `plain`."""
        decisions, plain = Decisions.of(list(views.values())), plain or {}
        encoded = [encode_decision(view, ticket, 2000) for ticket, view in plain.items()]
        self.ask(
            name,
            *plain,
            decisions=encoded,
            game=decisions.game,
            seats=decisions.seats,
            packed_tickets=list(views),
            rows=decisions.rows,
            moves=decisions.moves,
        )

    async def replies(self, count: int, reply_list: str = "") -> dict[int, Replied]:
        """Plays the worker that waits for replies; by ticket."""
        found: list[tuple[int, Replied]] = []
        limit = time.monotonic() + 15
        while len(found) < count:
            assert time.monotonic() < limit, f"{len(found)} of {count} replies came"
            bundles = await asyncio.to_thread(
                collected, self.client, reply_list or self.reply_list, 0.5, count, 0.02
            )
            found += chain.from_iterable(map(replied, bundles))
        assert len(found) == count, found
        return dict(found)

    async def no_reply(self, for_s: float = 0.2) -> None:
        assert not await asyncio.to_thread(collected, self.client, self.reply_list, for_s, 1, 0)


@asynccontextmanager
async def world(
    store: Store, url: str, control: Control | None = None, **settings: Any
) -> AsyncIterator[World]:
    """A world with one gateway; everything is stopped at the end."""
    given = {"port": 0, "admin_token": ADMIN, "grace_s": 1.0, **settings}
    with connect(url) as client:
        made = World(Settings(**given), store, url, client, control=control)
        try:
            await made.gateway()
            yield made
        finally:
            for stream in made.streams:
                await stream.hang_up()
            for gateway in made.gateways:
                await gateway.stop()
            for redis_client in made.clients:
                await redis_client.aclose()
