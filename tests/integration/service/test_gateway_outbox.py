"""Replies leave together: at once when the last one has come, soon when few are to come."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
import redis.asyncio

from arena.protocol.internal.relay_pb2 import Replies, Reply
from arena.service.gateway.outbox import Outbox
from arena.service.gateway.sessions import outputs
from arena.service.gateway.sessions.outputs import MANY, Bundle, ReplyBuffer
from tests.integration.gateway_world import scenario

LONG_S = 30.0  # no test waits for this


class Worker:
    """Sees what a worker would get."""

    def __init__(self, client: redis.asyncio.Redis) -> None:
        self.client, self.buffer = client, ReplyBuffer()
        self.out = Outbox(client, self.buffer)

    def expect(self, count: int, reply_to: str = "w") -> None:
        self.buffer.expect(reply_to, count)

    def answer(self, *tickets: int, reply_to: str = "w") -> None:
        for ticket in tickets:
            self.add(Bundle([ticket], [0], [100]), reply_to)

    def add(self, bundle: Bundle, reply_to: str = "w") -> None:
        self.buffer.add(reply_to, bundle, time.monotonic())
        self.out.flush()

    async def pushed(self, reply_to: str = "w") -> list[list[int]]:
        """The tickets of each push so far."""
        found: Any = await self.client.lrange(reply_to, 0, -1)
        return [list(Replies.FromString(one).tickets) for one in found]


@asynccontextmanager
async def at_work(url: str) -> AsyncIterator[Worker]:
    async with redis.asyncio.from_url(url) as client:
        worker = Worker(client)
        running = asyncio.create_task(worker.out.run())
        yield worker
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what need not wait leaves."""
    monkeypatch.setattr(outputs, "GATHER_S", LONG_S)


@scenario
async def test_many_wait_for_the_last_one_and_leave_with_it(patient: None, redis_url: str) -> None:
    async with at_work(redis_url) as worker:
        worker.expect(MANY + 2)
        worker.answer(*range(MANY + 1))
        await asyncio.sleep(0.05)
        assert await worker.pushed() == []
        worker.answer(MANY + 1)
        await worker.out.flushed()
        assert await worker.pushed() == [list(range(MANY + 2))]


@scenario
async def test_reply_does_not_wait_for_few_others(patient: None, redis_url: str) -> None:
    async with at_work(redis_url) as worker:
        worker.expect(MANY)
        worker.answer(0, 1)  # of one message, so they travel together
        await worker.out.flushed()
        assert await worker.pushed() == [[0, 1]]


@scenario
async def test_a_slow_bot_keeps_the_others_for_a_moment_only(redis_url: str) -> None:
    async with at_work(redis_url) as worker:
        worker.expect(3 * MANY)
        worker.answer(*range(MANY))
        await worker.out.flushed()
        assert await worker.pushed() == [list(range(MANY))]


@scenario
async def test_workers_do_not_wait_for_each_other(patient: None, redis_url: str) -> None:
    async with at_work(redis_url) as worker:
        worker.expect(2 * MANY, "slow")
        worker.answer(1, reply_to="slow")
        worker.expect(2, "quick")
        worker.answer(2, 3, reply_to="quick")
        await asyncio.sleep(0.05)
        assert await worker.pushed("quick") == [[2, 3]]
        assert await worker.pushed("slow") == []


@scenario
async def test_a_question_that_another_worker_took_over_keeps_nobody_waiting(
    patient: None, redis_url: str
) -> None:
    async with at_work(redis_url) as worker:
        worker.expect(2 * MANY)
        worker.answer(1)
        for _ in range(2 * MANY - 1):
            worker.expect(1, "new")
            worker.buffer.expect_no_longer("w")
            worker.out.flush()
        await asyncio.sleep(0.05)
        assert await worker.pushed() == [[1]]


@scenario
async def test_a_bundle_has_a_largest_size(
    patient: None, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "MOST_IN_A_BUNDLE", 5)

    async with at_work(redis_url) as worker:
        worker.expect(3 * MANY)
        worker.answer(*range(11))
        await asyncio.sleep(0.05)
        assert await worker.pushed() == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]


@scenario
async def test_answers_and_other_replies_share_a_bundle(patient: None, redis_url: str) -> None:
    async with at_work(redis_url) as worker:
        worker.expect(3)
        late = Reply(ticket=2, outcome=Reply.TIMEOUT, latency_us=2000)
        worker.add(Bundle([1], [4], [900]))
        worker.add(Bundle(others=[late]))
        worker.add(Bundle([3], [0], [800]))
        await worker.out.flushed()
        found: Any = await worker.client.lrange("w", 0, -1)
        (pushed,) = found
        assert Replies.FromString(pushed) == Replies(
            tickets=[1, 3],
            indices=[4, 0],
            latencies_us=[900, 800],
            others=[late],
        )


def test_replies_are_counted_by_what_became_of_the_questions() -> None:
    bundle = Bundle(tickets=[1, 2], indices=[0, 0], latencies_us=[5, 5])
    bundle.others += [Reply(outcome=Reply.ANSWER, action="quit"), Reply(outcome=Reply.BOUNCED)]
    assert len(bundle) == 4
    assert bundle.outcomes() == {Reply.ANSWER: 3, Reply.BOUNCED: 1}
