"""Very many bots in one process, each with its own TCP connection.

    python -m tests.lab.bench.crowd URL THINK_MS FILE < tokens, one a line

They implement the protocol without the SDK, whose bots share a connection within a process, and
answer with the first legal action. All connect at once, and retry as the SDK does if they are
refused or lose the stream. When all are connected, FILE gets the `Tally`. They stay until the
process is ended.
"""

import asyncio
import json
import random
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

from arena.games.rules import GAMES
from arena.protocol import services
from arena.protocol.codec import PROTOCOL
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.client import FIRST_PAUSE_S, LONGEST_PAUSE_S, OPTIONS

CALL = f"/{services.PLAY}/Connect"
MAX_IN_FLIGHT = 64
# A connection for each bot.
CHANNEL_OPTIONS = (*OPTIONS, ("grpc.use_local_subchannel_pool", 1))


@dataclass
class Tally:
    """Refusals, and times to connect."""

    refused: int = 0  # streams that ended, whatever the reason
    welcomed_after: list[float] = field(default_factory=list)  # seconds, of each bot the first time


async def stay(
    place: str, token: str, think_s: float, tally: Tally, welcomed: Callable[[], None]
) -> None:
    """Keep one bot connected until cancelled; call `welcomed` the first time it is."""
    pause, known = FIRST_PAUSE_S, False
    while True:
        try:
            async with grpc.aio.insecure_channel(place, options=CHANNEL_OPTIONS) as channel:
                connect: Any = channel.stream_stream(
                    CALL, pb.BotMessage.SerializeToString, pb.ArenaMessage.FromString
                )
                call = connect(metadata=(("authorization", f"Bearer {token}"),))
                await call.write(pb.BotMessage(hello=_hello()))
                if isinstance(await call.read(), pb.ArenaMessage):
                    if not known:
                        known = True
                        welcomed()
                    await _answer(call, think_s)
        except grpc.aio.AioRpcError:
            pass
        tally.refused += 1
        await asyncio.sleep(pause * random.uniform(0.5, 1))
        pause = min(2 * pause, LONGEST_PAUSE_S)


def _hello() -> pb.Hello:
    return pb.Hello(games=list(GAMES), protocol=PROTOCOL, max_in_flight=MAX_IN_FLIGHT)


async def _answer(call: Any, think_s: float) -> None:
    """Answer batch by batch, in order."""
    while isinstance(message := await call.read(), pb.ArenaMessage):
        decisions = message.batch.decisions
        if not decisions:
            continue
        if think_s:
            await asyncio.sleep(think_s)
        choices = [pb.Choice(ticket=one.ticket, index=one.view.indices[0]) for one in decisions]
        await call.write(pb.BotMessage(choices=pb.Choices(choices=choices)))


async def serve(place: str, think_s: float, tokens: list[str], file: Path) -> None:
    """Run a bot for each token until the process is ended."""
    tally, began = Tally(), time.monotonic()

    def welcomed() -> None:
        tally.welcomed_after.append(time.monotonic() - began)
        if len(tally.welcomed_after) == len(tokens):
            unfinished = file.with_suffix(".part")
            unfinished.write_text(json.dumps(asdict(tally)))
            unfinished.rename(file)

    await asyncio.gather(*(stay(place, token, think_s, tally, welcomed) for token in tokens))


if __name__ == "__main__":
    asyncio.run(
        serve(sys.argv[1], float(sys.argv[2]) / 1000, sys.stdin.read().split(), Path(sys.argv[3]))
    )
