"""The processes of `wire`, which send messages without content.

python -m tests.lab.bench.wire_processes ROLE NUMBER. The variables WIRE_REDIS, WIRE_PORT and
WIRE_SHAPE (JSON of `Shape`) configure it.
"""

import asyncio
import json
import os
import struct
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, cast

import grpc.aio
import redis
import redis.asyncio

from arena.service.live.mailbox import MAIL_TTL_S

SERVICE = "tests.lab.bench.Wire"
# Lists in Redis: letters to the gateway; that all bots are connected; the starting signals and the
# ends of workers; what the gateway counted.
INBOX, READY, GO, DONE, COUNTED = "inbox", "ready", "go", "done", "counted"
WAIT_S = 60
HEAD = struct.Struct("<HI?")  # worker, number of its letter, whether this is the last part
BOT_PROCESSES = 2


@dataclass(frozen=True)
class Shape:
    """The messages and their sizes by direction. Each worker has `together` letters in flight."""

    workers: int
    bots: int
    together: int
    messages: dict[str, int]  # by way
    sizes: dict[str, int]

    def parts(self, way: str, of: str) -> Iterator[int]:
        """Yield how many messages of one direction follow each message of another one: evenly,
        and at least one."""
        many, few = self.messages[way], self.messages[of]
        return (max(1, many * (n + 1) // few - many * n // few) for n in count())

    def message(self, way: str, worker: int, letter: int, *, last: bool = True) -> bytes:
        """Return a message in this direction for a letter of a worker."""
        return HEAD.pack(worker, letter, last).ljust(self.sizes[way], b"\1")


def work(client: redis.Redis, shape: Shape, number: int) -> None:
    """Send the letters of a worker, each when there is room, until all are answered."""
    letters = shape.messages["from_worker"] // shape.workers
    client.blpop([GO], WAIT_S)
    sent = replied = 0
    while replied < letters:
        while sent < letters and sent - replied < shape.together:
            with client.pipeline(transaction=False) as pipeline:
                pipeline.rpush(INBOX, shape.message("from_worker", number, sent))
                pipeline.expire(INBOX, MAIL_TTL_S)
                pipeline.execute()
            sent += 1
        popped = client.blpop([f"replies-{number}"], WAIT_S)
        _, _, last = HEAD.unpack_from(cast("tuple[bytes, bytes]", popped)[1])
        replied += last
    client.rpush(DONE, time.monotonic())
    time.sleep(WAIT_S)


class Gateway:
    """Passes letters on to the bots, and their answers back to the workers."""

    def __init__(self, client: redis.asyncio.Redis, shape: Shape) -> None:
        self._client, self._shape = client, shape
        self._to_bots: list[asyncio.Queue[bytes]] = []
        self._replies: asyncio.Queue[tuple[int, int]] = asyncio.Queue()
        self._open = Counter[tuple[int, int]]()  # unanswered messages, by letter
        self._messages, self._bytes = Counter[str](), Counter[str]()

    async def run(self, port: int) -> None:
        """Serve until cancelled."""
        server = grpc.aio.server()
        connect: Any = self._connect
        handler: Any = grpc.stream_stream_rpc_method_handler(connect)
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(SERVICE, {"Connect": handler}),)
        )
        server.add_insecure_port(f"127.0.0.1:{port}")
        await server.start()
        await asyncio.gather(self._read_letters(), self._push_replies())

    async def _connect(self, _: object, context: Any) -> None:
        mine: asyncio.Queue[bytes] = asyncio.Queue()
        self._to_bots.append(mine)
        if len(self._to_bots) == self._shape.bots:
            await self._client.rpush(READY, 1)
        writing = asyncio.create_task(self._write(context, mine))
        while (answer := await context.read()) is not grpc.aio.EOF:
            assert isinstance(answer, bytes)
            self._count("from_bot", answer)
            worker, letter, last = HEAD.unpack_from(answer)
            self._open[worker, letter] -= last
            if not self._open[worker, letter]:
                del self._open[worker, letter]
                self._replies.put_nowait((worker, letter))
        writing.cancel()

    async def _write(self, context: Any, mine: asyncio.Queue[bytes]) -> None:
        while True:
            message = await mine.get()
            await context.write(message)
            self._count("to_bot", message)

    async def _read_letters(self) -> None:
        parts, bots = self._shape.parts("to_bot", "from_worker"), count()
        while True:
            popped = await self._client.blpop([INBOX], timeout=1)
            if popped is None:
                continue
            letter = cast("bytes", popped[1])
            if not letter:
                legs = {way: [self._messages[way], self._bytes[way]] for way in self._messages}
                await self._client.rpush(COUNTED, json.dumps(legs))
                continue
            self._count("from_worker", letter)
            worker, number, _ = HEAD.unpack_from(letter)
            self._open[worker, number] = part = next(parts)
            message = self._shape.message("to_bot", worker, number)
            for _ in range(part):
                self._to_bots[next(bots) % len(self._to_bots)].put_nowait(message)

    async def _push_replies(self) -> None:
        parts = self._shape.parts("to_worker", "from_worker")
        while True:
            worker, letter = await self._replies.get()
            part = next(parts)
            async with self._client.pipeline(transaction=False) as pipeline:
                for left in reversed(range(part)):
                    message = self._shape.message("to_worker", worker, letter, last=not left)
                    pipeline.rpush(f"replies-{worker}", message)
                    pipeline.expire(f"replies-{worker}", MAIL_TTL_S)
                    self._count("to_worker", message)
                await pipeline.execute()

    def _count(self, way: str, message: bytes) -> None:
        self._messages[way] += 1
        self._bytes[way] += len(message)


async def answer(port: int, shape: Shape) -> None:
    """Run a bot that answers each message."""
    parts = shape.parts("from_bot", "to_bot")
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        call: Any = channel.stream_stream(f"/{SERVICE}/Connect")(wait_for_ready=True)
        while True:
            message: Any = await call.read()
            worker, letter, _ = HEAD.unpack_from(message)
            for left in reversed(range(next(parts))):
                await call.write(shape.message("from_bot", worker, letter, last=not left))


async def _bots(port: int, shape: Shape, number: int) -> None:
    mine = range(number, shape.bots, BOT_PROCESSES)
    await asyncio.gather(*(answer(port, shape) for _ in mine))


async def _gateway(url: str, port: int, shape: Shape) -> None:
    await Gateway(redis.asyncio.Redis.from_url(url), shape).run(port)


def main(role: str, number: int) -> None:
    """Run one of the processes until it is stopped."""
    url, port = os.environ["WIRE_REDIS"], int(os.environ["WIRE_PORT"])
    shape = Shape(**json.loads(os.environ["WIRE_SHAPE"]))
    if role == "worker":
        work(redis.Redis.from_url(url), shape, number)
    elif role == "gateway":
        asyncio.run(_gateway(url, port, shape))
    else:
        asyncio.run(_bots(port, shape, number))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
