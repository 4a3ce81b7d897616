"""Redis: reachable, keeping what it is given, taking what is written, its clock right."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

import redis

from arena import embedded
from arena.doctor.database import examine_clock
from arena.doctor.finding import Finding, fine, wrong
from arena.errors import Unavailable
from arena.live.connect import connect, place

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
    """What is to be said of the server at a URL."""
    try:
        client = connect(url, timeout_s=TIMEOUT_S, retries=1)
    except Unavailable as error:
        yield wrong(ABOUT, str(error), "`arena up` brings one along; else correct ARENA_REDIS_URL.")
        return
    try:
        with client:
            info: Mapping[str, Any] = client.info()
            yield fine(ABOUT, f"{place(url)} answers; it is version {info['redis_version']}.")
            yield from examine_info(info)
            before = time.time()
            seconds, micros = client.time()
            yield examine_clock("Redis", seconds + micros / 1e6, before, time.time())
    except redis.RedisError as error:
        yield wrong(ABOUT, f"{place(url)} went away ({error}).", "Look at its log.")


def examine_info(info: Mapping[str, Any]) -> Iterator[Finding]:
    """What a server says of its memory, its disk and its role."""
    yield from _memory(info)
    yield from _persistence(info)
    if info.get("role") not in (None, "master"):
        yield wrong(
            ABOUT,
            "The server is a replica, which takes no writes.",
            "Set ARENA_REDIS_URL to the primary.",
        )


def _memory(info: Mapping[str, Any]) -> Iterator[Finding]:
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


def _persistence(info: Mapping[str, Any]) -> Iterator[Finding]:
    failed = [
        name
        for name in ("rdb_last_bgsave_status", "aof_last_write_status")
        if info.get(name, "ok") != "ok"
    ]
    if failed:
        yield wrong(
            ABOUT,
            f"The server cannot save to its disk ({', '.join(failed)}), and may refuse all writes.",
            "Make room on its disk, or turn persistence off: the arena needs none.",
        )
    elif info.get("aof_enabled"):
        yield fine(ABOUT, "The server keeps a log on its disk, which the arena does not need.")
    else:
        yield fine(ABOUT, "It keeps nothing on its disk; what has to last is in the database.")
