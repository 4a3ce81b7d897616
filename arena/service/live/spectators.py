"""Spectators of a tournament: that somebody watches it, what of a match in play they may see, and
which stored match is on show.

Whoever watches keeps a mark alive; without it no worker does anything. A worker keeps one match of
a tournament on show and publishes it as far as its rounds are scored, so what is published says
nothing of cards that are still in play. What is here may be lost at any time: a mark or a match
that is not renewed is gone by itself, and the next worker takes over.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import redis

from arena.service.live import keys

WATCHED_S = 15  # a mark lasts; whoever watches renews it more often
ON_SHOW_S = 20  # a match of a worker that died makes room for another one
MOST_BYTES = 64_000  # of a match; a longer one is not shown


class Screening(NamedTuple):
    """A stored match that all spectators see at once; `began` in Unix seconds."""

    match: str
    began: float


def watch(client: redis.Redis, tournaments: Sequence[int]) -> None:
    """Somebody watches these tournaments."""
    with client.pipeline(transaction=False) as pipeline:
        for number in tournaments:
            pipeline.set(keys.watched(number), 1, ex=WATCHED_S)
        pipeline.execute()


def watched(client: redis.Redis, tournaments: Sequence[int]) -> list[int]:
    """Those of these tournaments that somebody watches: one question for all of them."""
    if not tournaments:
        return []
    marks = client.mget([keys.watched(number) for number in tournaments])
    return [number for number, mark in zip(tournaments, marks, strict=True) if mark]


def take_stage(client: redis.Redis, tournament: int, match: str) -> bool:
    """Whether this match is the one on show: nobody else's is, or it was before."""
    key = keys.on_stage(tournament)
    if client.set(key, match, nx=True, ex=ON_SHOW_S):
        return True
    if client.get(key) != match.encode():
        return False
    client.expire(key, ON_SHOW_S)
    return True


def publish(client: redis.Redis, tournament: int, suspended: bytes) -> None:
    """Publishes the match on show, in place of what was published before."""
    if len(suspended) <= MOST_BYTES:
        client.set(keys.on_show(tournament), suspended, ex=ON_SHOW_S)


def keep(client: redis.Redis, tournament: int) -> bool:
    """Keeps what is published; False if it is gone and has to be published again."""
    return bool(client.expire(keys.on_show(tournament), ON_SHOW_S))


def published(client: redis.Redis, tournament: int) -> bytes | None:
    """The match in play that is on show (a SuspendedMatch), if there is one."""
    found: Any = client.get(keys.on_show(tournament))
    return bytes(found) if found else None


def screen(client: redis.Redis, tournament: int, wish: Screening, lasts_s: float) -> Screening:
    """The stored match on show: `wish`, unless there is one already. It is gone after `lasts_s`."""
    key = keys.screening(tournament)
    client.set(key, json.dumps(wish), nx=True, px=max(1, int(1000 * lasts_s)))
    return screened(client, tournament) or wish


def screened(client: redis.Redis, tournament: int) -> Screening | None:
    """The stored match on show, if there is one."""
    found = client.get(keys.screening(tournament))
    return Screening(*json.loads(found)) if found else None


def marks(client: redis.Redis, tournaments: Sequence[int]) -> list[bytes | None]:
    """What is on show in each: published matches, then screenings. It counts as watching."""
    watch(client, tournaments)
    names = [keys.on_show(number) for number in tournaments]
    names += [keys.screening(number) for number in tournaments]
    found: Any = client.mget(names)
    return list(found)
