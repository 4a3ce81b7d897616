"""Tournaments that had an error, and why, for the dashboard to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import redis

from arena.base.errors import ArenaError, Unavailable
from arena.service.live import keys

# Planning is retried, and noted, once a second; a batch plays for a while before it fails.
PLANNING_S = 5
PLAYING_S = 90


@dataclass(frozen=True)
class Incident:
    """Why a tournament had an error, and in which worker ("" if that is unknown)."""

    reason: str
    worker: str = ""


def note(
    client: redis.Redis, tournament: int, error: Exception, lasts_s: int, worker: str = ""
) -> bool:
    """Notes for `lasts_s` seconds why a tournament had an error, and in which worker; returns
    whether that is news. Raises RedisError.
    """
    text = f"{worker}\n{reason(error)}"
    before = client.set(keys.incident(tournament), text, ex=lasts_s, get=True)
    return before != text.encode()


def reason(error: Exception) -> str:
    """The part of an error that everybody may read. The rest is for the log: a message may quote
    what is in the database."""
    if isinstance(error, Unavailable):
        return error.public
    return str(error) if isinstance(error, ArenaError) else type(error).__name__


def incidents(client: redis.Redis, tournaments: Sequence[int]) -> dict[int, Incident]:
    """The errors that were noted of these tournaments. Raises RedisError."""
    if not tournaments:
        return {}
    names = [keys.incident(tournament) for tournament in tournaments]
    texts = cast("list[bytes | None]", client.mget(names))
    pairs = zip(tournaments, texts, strict=True)
    return {tournament: _read(text.decode()) for tournament, text in pairs if text is not None}


def _read(text: str) -> Incident:
    """What `note` wrote."""
    worker, _, why = text.rpartition("\n")
    return Incident(why, worker)
