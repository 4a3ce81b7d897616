"""The gateway's loops wait for a Redis that is of no use, and say why once."""

import asyncio

import pytest
import redis

from arena.service.gateway import inbox
from tests.captured_logs import captured_logs


class Enough(Exception):
    """A test has seen what it wanted to see."""


def test_a_redis_that_refuses_writes_is_waited_for_with_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inbox, "RETRY_S", 0)
    full = redis.OutOfMemoryError("command not allowed when used memory > 'maxmemory'.")
    steps = iter([full, full, full, None, Enough()])

    async def step() -> None:
        if error := next(steps):
            raise error

    with captured_logs(inbox) as logs, pytest.raises(Enough):
        asyncio.run(inbox.repeat("the heartbeat", step))

    waits, back = logs
    assert waits["event"] == "the heartbeat waits for Redis"
    assert waits["reason"] == "Redis refuses writes: its memory is full."
    assert back["event"] == "the heartbeat has Redis back"
