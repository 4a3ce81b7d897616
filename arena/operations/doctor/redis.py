"""How Redis is set up: whether it keeps what it is given."""

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
    """Whether there is a server to embed, where none is named and none runs."""
    try:
        return fine(ABOUT, f"`arena up` starts {embedded.redis_binary()}.")
    except Unavailable as error:
        return wrong(ABOUT, str(error), "Install one, or set ARENA_REDIS_URL.")


def examine_redis(url: str) -> Iterator[Finding]:
    """More findings on a server that answers."""
    try:
        with connect(url, timeout_s=TIMEOUT_S, retries=1) as client:
            info: Mapping[str, Any] = client.info()
            yield fine(ABOUT, f"{place(url)} is version {info['redis_version']}.")
            yield from examine_info(info)
    except (Unavailable, redis.RedisError) as error:
        yield wrong(ABOUT, str(error), "Read its log.")


def examine_info(info: Mapping[str, Any]) -> Iterator[Finding]:
    """What a server says of its memory. Whether it takes writes is one of the arena's checks."""
    most, used = int(info.get("maxmemory", 0)), int(info.get("used_memory", 0))
    policy = str(info.get("maxmemory_policy", "noeviction"))
    if policy != "noeviction":
        yield wrong(
            ABOUT,
            f"The server evicts keys when its memory is full (maxmemory-policy {policy}), and "
            "leases, queues and connections with them.",
            "Set maxmemory-policy to noeviction.",
        )
    if most and used > NEARLY_FULL * most:
        yield wrong(
            ABOUT,
            f"The server uses {used / 1e6:,.0f} MB of the {most / 1e6:,.0f} MB it may.",
            "Raise maxmemory, or find what else is stored there.",
        )
    elif policy == "noeviction":
        bound = f"of {most / 1e6:,.0f} MB" if most else "without a limit"
        yield fine(ABOUT, f"Nothing is evicted; {used / 1e6:,.0f} MB are used, {bound}.")
