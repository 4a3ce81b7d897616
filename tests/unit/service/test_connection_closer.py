"""How often a gateway counts its connections."""

import asyncio

import pytest

from arena.base.config import Settings
from arena.service.gateway import connection_closer
from arena.service.gateway.connection_closer import ConnectionCloser
from arena.service.gateway.rate_limiter import RateLimiter


def test_a_count_that_takes_long_is_followed_by_a_longer_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of tens of thousands of connections one takes a second, in which bots wait."""
    counts = 0

    async def count(*_: object) -> None:
        nonlocal counts
        counts += 1
        await asyncio.sleep(0.1)

    async def a_while() -> None:
        settings = Settings()
        closer = ConnectionCloser(RateLimiter(settings), 1, settings)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(closer.run(), 0.5)

    monkeypatch.setattr(connection_closer, "COUNT_S", 0.001)
    monkeypatch.setattr(ConnectionCloser, "_find_excess", count)

    asyncio.run(a_while())

    assert counts == 1
