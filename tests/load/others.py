"""The bots that do nothing wrong: how long their decisions take while others attack.

Each is asked one decision after the other, from the worker's letter in Redis until the reply is
there. They connect from an address that is exempt, the attackers from another.
"""

from __future__ import annotations

import asyncio
import time
from multiprocessing.connection import Connection
from typing import Any

import grpc.aio
import redis.asyncio

from arena.live import keys
from arena.protocol.internal.relay_pb2 import Delivery, Letter, Replies, Reply
from arena.protocol.v1 import play_pb2 as pb

PAUSE_S = 0.01
TIME_MS = 1000


def play(port: int, redis_url: str, players: dict[int, str], pipe: Connection) -> None:
    """Plays until the pipe says "stop". Whenever it says "next", the latencies since then are sent
    back (seconds), and how many decisions timed out."""
    asyncio.run(_play(port, redis_url, players, pipe))


async def _play(port: int, redis_url: str, players: dict[int, str], pipe: Connection) -> None:
    client = redis.asyncio.Redis.from_url(redis_url)
    taken: list[float] = []
    faults: list[str] = []
    bots = [asyncio.create_task(_bot(port, token)) for token in players.values()]
    await asyncio.sleep(1.5)
    (found,) = await client.keys(keys.gateway("*"))
    gateway = bytes(found).decode().rpartition(":")[2]  # type: ignore[arg-type]
    pipe.send("ready")
    asking = [
        asyncio.create_task(_ask(client, gateway, player, taken, faults)) for player in players
    ]
    while (word := await asyncio.to_thread(pipe.recv)) != "stop":
        if word == "next":
            pipe.send((list(taken), list(faults)))
            taken.clear()
            faults.clear()
    for task in (*asking, *bots):
        task.cancel()
    await asyncio.gather(*asking, *bots, return_exceptions=True)
    await client.aclose()


async def _ask(
    client: redis.asyncio.Redis, gateway: str, player: int, taken: list[float], faults: list[str]
) -> None:
    """Plays the worker that has one match with this player."""
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
        letter = Letter(deliveries=[delivery]).SerializeToString()
        await client.rpush(keys.inbox(gateway), letter)
        popped: Any = await client.blpop([reply_list], timeout=30)
        if popped is None:
            faults.append("nothing came")
            continue
        taken.append(time.monotonic() - began)
        others = Replies.FromString(popped[1]).others
        faults.extend(Reply.Outcome.Name(reply.outcome) for reply in others)
        await asyncio.sleep(PAUSE_S)


async def _bot(port: int, token: str) -> None:
    """Answers at once."""
    options = (("grpc.use_local_subchannel_pool", 1),)
    async with grpc.aio.insecure_channel(f"[::1]:{port}", options=options) as channel:
        method: Any = channel.stream_stream(
            "/arena.v1.Play/Connect",
            pb.BotMessage.SerializeToString,
            pb.ArenaMessage.FromString,
        )
        call = method(metadata=(("authorization", f"Bearer {token}"),))
        await call.write(
            pb.BotMessage(hello=pb.Hello(games=["lama"], protocol=1, max_in_flight=16))
        )
        while isinstance(message := await call.read(), pb.ArenaMessage):
            choices = [pb.Choice(ticket=one.ticket, index=1) for one in message.batch.decisions]
            if choices:
                await call.write(pb.BotMessage(choices=pb.Choices(choices=choices)))
