"""Featured matches for the spectators of a tournament.

Each spectator's page renews a mark; without it workers publish nothing. A worker features one match
in play of a tournament, and publishes it up to its last scored round. So it reveals no cards that
are still in play. All keys may be lost at any time: marks and matches that are not renewed expire,
and another worker takes over.
"""

import json
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import redis

from arena.service.live import keys

WATCHED_S = 15  # lifetime of a mark, which pages renew more often
ON_SHOW_S = 20  # after which the match of a dead worker is replaced
MARKED = keys.on_show, keys.tables, keys.screening
MOST_BYTES = 64_000  # larger matches are not published


class TableInPlay(NamedTuple):
    """The score of a match in play after its last scored round: names and points by seat."""

    match: str
    names: Sequence[str]
    points: Sequence[int]
    rounds: int  # scored ones

    @property
    def ranked(self) -> list[tuple[str, int]]:
        """Name and points of each seat, fewest points first."""
        return sorted(zip(self.names, self.points, strict=True), key=itemgetter(1))


class Screening(NamedTuple):
    """A stored match that all spectators see in sync; `began` is in Unix seconds."""

    match: str
    began: float


def watch(client: redis.Redis, tournaments: Sequence[int]) -> None:
    with client.pipeline(transaction=False) as pipeline:
        for number in tournaments:
            pipeline.set(keys.watched(number), 1, ex=WATCHED_S)
        pipeline.execute()


def watched(client: redis.Redis, tournaments: Sequence[int]) -> list[int]:
    """The tournaments among these that are watched, in one round trip."""
    if not tournaments:
        return []
    marks = client.mget([keys.watched(number) for number in tournaments])
    return [number for number, mark in zip(tournaments, marks, strict=True) if mark]


def take_stage(client: redis.Redis, tournament: int, match: str) -> bool:
    """Features this match, or continues to. Returns False if another match is featured."""
    key = keys.on_stage(tournament)
    if client.set(key, match, nx=True, ex=ON_SHOW_S):
        return True
    if client.get(key) != match.encode():
        return False
    client.expire(key, ON_SHOW_S)
    return True


def publish(client: redis.Redis, tournament: int, suspended: bytes) -> None:
    """Publishes the featured match (an encoded SuspendedMatch)."""
    if len(suspended) <= MOST_BYTES:
        client.set(keys.on_show(tournament), suspended, ex=ON_SHOW_S)


def publish_tables(client: redis.Redis, tournament: int, tables: Sequence[TableInPlay]) -> None:
    client.set(keys.tables(tournament), json.dumps(tables), ex=ON_SHOW_S)


def tables(client: redis.Redis, tournament: int) -> list[TableInPlay]:
    """The published scores of matches in play, the oldest match first."""
    found = client.get(keys.tables(tournament))
    return [TableInPlay(*each) for each in json.loads(found)] if found else []


def keep(client: redis.Redis, tournament: int) -> bool:
    """Renews the published match. Returns False if it has expired and must be published again."""
    return bool(client.expire(keys.on_show(tournament), ON_SHOW_S))


def published(client: redis.Redis, tournament: int) -> bytes | None:
    """The published match in play (an encoded SuspendedMatch), if any."""
    found: Any = client.get(keys.on_show(tournament))
    return bytes(found) if found else None


def screen(client: redis.Redis, tournament: int, wish: Screening, lasts_s: float) -> Screening:
    """Features a stored match for `lasts_s` seconds, unless there is one. Returns the featured
    match."""
    key = keys.screening(tournament)
    client.set(key, json.dumps(wish), nx=True, px=max(1, int(1000 * lasts_s)))
    return screened(client, tournament) or wish


def screened(client: redis.Redis, tournament: int) -> Screening | None:
    """The featured stored match, if any."""
    found = client.get(keys.screening(tournament))
    return Screening(*json.loads(found)) if found else None


def marks(client: redis.Redis, tournaments: Sequence[int]) -> list[bytes | None]:
    """The published matches, then their scores, then the screenings, of these tournaments. Marks
    them as watched."""
    watch(client, tournaments)
    names = [key(number) for key in MARKED for number in tournaments]
    found: Any = client.mget(names)
    return list(found)
