"""The end of a hosted bot's stream."""

import asyncio

import pytest

from arena.service.host.session import cancel_and_wait


async def slow_to_end(error: Exception | None = None) -> None:
    """A writer that is in the middle of something when it is cancelled."""
    try:
        await asyncio.sleep(60)
    finally:
        await asyncio.sleep(0.01)
        if error:
            raise error


async def started(error: Exception | None = None) -> asyncio.Task[None]:
    writer = asyncio.create_task(slow_to_end(error))
    await asyncio.sleep(0)
    return writer


def test_a_session_that_is_closed_while_its_writer_ends_does_not_connect_again() -> None:
    async def closed() -> bool:
        async def stay_connected() -> None:
            await cancel_and_wait(await started())
            await asyncio.sleep(60)  # until the next stream

        session = asyncio.create_task(stay_connected())
        await asyncio.sleep(0.001)  # it waits for its writer
        session.cancel()
        await asyncio.wait([session], timeout=1)
        return session.cancelled()

    assert asyncio.run(closed())


def test_a_writer_is_ended_and_its_own_errors_are_raised() -> None:
    async def ended(error: Exception | None) -> bool:
        writer = await started(error)
        await cancel_and_wait(writer)
        return writer.cancelled()

    assert asyncio.run(ended(None))
    with pytest.raises(ZeroDivisionError):
        asyncio.run(ended(ZeroDivisionError()))
