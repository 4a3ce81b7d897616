"""Recent errors of tournaments, for health checks and the dashboard."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import redis

from arena.base.errors import ArenaError, Unavailable
from arena.service.live import keys

# Planning is retried every second. A batch may play for a while before it fails again.
PLANNING_S = 5
PLAYING_S = 90


@dataclass(frozen=True)
class Incident:
    """The reason of a tournament's error, and its worker ("" if unknown)."""

    reason: str
    worker: str = ""


def note(
    client: redis.Redis, tournament: int, error: Exception, lasts_s: int, worker: str = ""
) -> bool:
    """Stores the error of a tournament for `lasts_s` seconds. Returns whether it differs from the
    stored one. Raises RedisError."""
    text = f"{worker}\n{reason(error)}"
    before = client.set(keys.incident(tournament), text, ex=lasts_s, get=True)
    return before != text.encode()


def reason(error: Exception) -> str:
    """The public part of an error. Messages of unexpected errors may quote the database, so only
    their type is public."""
    if isinstance(error, Unavailable):
        return error.public
    return str(error) if isinstance(error, ArenaError) else type(error).__name__


def incidents(client: redis.Redis, tournaments: Sequence[int]) -> dict[int, Incident]:
    """The stored errors of these tournaments. Raises RedisError."""
    if not tournaments:
        return {}
    names = [keys.incident(tournament) for tournament in tournaments]
    texts = cast("list[bytes | None]", client.mget(names))
    pairs = zip(tournaments, texts, strict=True)
    return {tournament: _read(text.decode()) for tournament, text in pairs if text is not None}


def _read(text: str) -> Incident:
    worker, _, why = text.rpartition("\n")
    return Incident(why, worker)
