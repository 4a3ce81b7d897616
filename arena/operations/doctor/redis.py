"""The configuration of Redis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import redis

from arena.base.errors import Unavailable
from arena.operations import embedded
from arena.service.health.finding import Finding, fine, wrong
from arena.service.live.connect import connect, place

ABOUT = "Redis"
TIMEOUT_S = 3.0
NEARLY_FULL = 0.9


def examine_embedded() -> Finding:
    """Check for a server to embed, if none is named and none runs."""
    try:
        return fine(ABOUT, f"`arena up` starts {embedded.redis_binary()}.")
    except Unavailable as error:
        return wrong(ABOUT, str(error), "Install one, or set ARENA_REDIS_URL.")


def examine_redis(url: str) -> Iterator[Finding]:
    """Yield more findings on a server that answers."""
    try:
        with connect(url, timeout_s=TIMEOUT_S, retries=1) as client:
            info: Mapping[str, Any] = client.info()
            yield fine(ABOUT, f"{place(url)} is version {info['redis_version']}.")
            yield from examine_info(info)
    except (Unavailable, redis.RedisError) as error:
        yield wrong(ABOUT, str(error), "See the log of Redis.")


def examine_info(info: Mapping[str, Any]) -> Iterator[Finding]:
    """Check the memory of a server. `arena.service.health` checks for writes."""
    most, used = int(info.get("maxmemory", 0)), int(info.get("used_memory", 0))
    policy = str(info.get("maxmemory_policy", "noeviction"))
    if policy != "noeviction":
        yield wrong(
            ABOUT,
            f"The server evicts keys when its memory is full (maxmemory-policy {policy}). Leases, "
            "queues and connections would be lost.",
            "Set maxmemory-policy to noeviction.",
        )
    if most and used > NEARLY_FULL * most:
        yield wrong(
            ABOUT,
            f"The server uses {used / 1e6:,.0f} MB of its maximum of {most / 1e6:,.0f} MB.",
            "Raise maxmemory, or remove other data from the server.",
        )
    elif policy == "noeviction":
        bound = f"of {most / 1e6:,.0f} MB" if most else "without a limit"
        yield fine(ABOUT, f"The server uses {used / 1e6:,.0f} MB, {bound}, and evicts no keys.")
