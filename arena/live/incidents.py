"""Tournaments that are stuck, and why, for the dashboard to show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import redis

from arena.errors import ArenaError
from arena.live import keys

# Planning is retried, and noted, once a second; a batch plays for a while before it fails.
PLANNING_S = 5
PLAYING_S = 90


def note(client: redis.Redis, tournament: int, error: Exception, lasts_s: int) -> bool:
    """Notes for `lasts_s` seconds why a tournament is stuck; returns whether that is news.

    Raises RedisError.
    """
    why = reason(error)
    before = client.set(keys.incident(tournament), why, ex=lasts_s, get=True)
    return before != why.encode()


def reason(error: Exception) -> str:
    """The part of an error that everybody may read. The rest is for the log: a message may quote
    what is in the database."""
    return str(error) if isinstance(error, ArenaError) else type(error).__name__


def incidents(client: redis.Redis, tournaments: Sequence[int]) -> dict[int, str]:
    """Which of these tournaments are stuck, and why. Raises RedisError."""
    if not tournaments:
        return {}
    names = [keys.incident(tournament) for tournament in tournaments]
    reasons = cast("list[bytes | None]", client.mget(names))
    pairs = zip(tournaments, reasons, strict=True)
    return {tournament: why.decode() for tournament, why in pairs if why is not None}
