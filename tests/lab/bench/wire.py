"""Measures the wire: only the messages of an arena, through gRPC and Redis.

The same number of processes sends the same number of messages and bytes as an arena did, each as
soon as the message it answers has arrived. No process reads or creates the content. This is the
speed of an arena whose own work takes no time.
"""

import json
import secrets
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import redis

from arena.operations import embedded
from arena.operations.supervise import ports, stack
from arena.operations.supervise.child import ChildSpec
from arena.operations.supervise.supervisor import Supervisor
from tests.lab import programs
from tests.lab.bench.gateways import Leg
from tests.lab.bench.pipeline import BOTS, POLL_S, Throughput, cpu_seconds
from tests.lab.bench.wire_processes import (
    BOT_PROCESSES,
    COUNTED,
    DONE,
    GO,
    INBOX,
    READY,
    WAIT_S,
    Shape,
)

DEATHS = 1  # crashes of a process, which lose its messages


def shape_of(like: Throughput) -> Shape:
    """Return the messages of a measured arena."""
    letters = like.legs["from_worker"].messages
    return Shape(
        like.load.workers,
        BOTS,
        max(1, round(like.load.window * letters / like.decisions)),
        {way: leg.messages for way, leg in like.legs.items()},
        {way: leg.bytes // leg.messages for way, leg in like.legs.items()},
    )


def measure(like: Throughput, tell: Callable[[str], None]) -> Throughput:
    """Send the messages of a measured arena. Raises Unavailable."""
    shape = shape_of(like)
    password = secrets.token_urlsafe(24)
    with (
        tempfile.TemporaryDirectory(prefix="arena-bench-") as folder,
        ports.Claims() as claims,
        Supervisor(Path(folder), tell, give_up_after=DEATHS) as supervisor,
    ):
        redis_port = claims.choose("127.0.0.1", 0, "Redis")
        port = claims.choose("127.0.0.1", 0, "gateway")
        supervisor.start(stack.redis(redis_port, password))
        supervisor.await_ready("redis")
        url = embedded.redis_url(redis_port, password)
        env = {"WIRE_REDIS": url, "WIRE_PORT": str(port), "WIRE_SHAPE": json.dumps(asdict(shape))}
        for role, count in (("gateway", 1), ("bots", BOT_PROCESSES), ("worker", shape.workers)):
            for number in range(count):
                command = programs.python("tests.lab.bench.wire_processes", role, str(number))
                supervisor.start(ChildSpec(f"{role}-{number}", command, env))
        with redis.Redis.from_url(url) as client:
            return _measured(supervisor, client, shape, like)


def _measured(
    supervisor: Supervisor, client: redis.Redis, shape: Shape, like: Throughput
) -> Throughput:
    def wait_for(key: str, count: int) -> None:
        while client.llen(key) < count:
            supervisor.pause(POLL_S)

    wait_for(READY, 1)
    before, began = cpu_seconds(supervisor), time.monotonic()
    client.rpush(GO, *range(shape.workers))
    wait_for(DONE, shape.workers)
    after = cpu_seconds(supervisor)
    ended: Any = client.lrange(DONE, 0, -1)
    client.rpush(INBOX, b"")
    counted: Any = client.blpop([COUNTED], WAIT_S)
    legs = {way: Leg(*leg) for way, leg in json.loads(counted[1]).items()}
    return Throughput(
        replace(like.load, title="the wire"),
        like.matches,
        like.decisions,
        max(map(float, ended)) - began,
        {name: spent - before.get(name, 0.0) for name, spent in after.items()},
        legs,
    )
