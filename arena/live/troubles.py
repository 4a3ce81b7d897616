"""Tournaments that cannot go on, and why, for the pages to tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import redis

from arena.errors import ArenaError
from arena.live import keys

# Planning is tried, and noted, once a second; a batch is played for a while before it fails.
PLANNING_S = 5
PLAYING_S = 90


def note(client: redis.Redis, tournament: int, error: Exception, lasts_s: int) -> bool:
    """Notes for so many seconds why a tournament does not go on; says whether that is news.

    Raises RedisError.
    """
    why = reason(error)
    before = client.set(keys.trouble(tournament), why, ex=lasts_s, get=True)
    return before != why.encode()


def reason(error: Exception) -> str:
    """What everybody may read of an error; the rest is for the log, since a message may tell
    what stood in the database."""
    return str(error) if isinstance(error, ArenaError) else type(error).__name__


def troubles(client: redis.Redis, tournaments: Sequence[int]) -> dict[int, str]:
    """Which of these tournaments cannot go on, and why. Raises RedisError."""
    if not tournaments:
        return {}
    asked = [keys.trouble(tournament) for tournament in tournaments]
    found = cast("list[bytes | None]", client.mget(asked))
    told = zip(tournaments, found, strict=True)
    return {tournament: why.decode() for tournament, why in told if why is not None}
