"""What Redis knows of bots and workers that matters for a forecast."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import redis

from arena.service.live import queues
from arena.service.live.answer_rates import Paces
from arena.service.live.paces import paces
from arena.service.live.presence import Presence, present
from arena.service.live.vitals import vitals


@dataclass(frozen=True)
class LivePace:
    """Who is connected, and how fast players answered, by player; how many workers there are,
    each with processes of its own. `known` is False where Redis could not be asked."""

    known: bool = False
    here: Mapping[int, Presence] = field(default_factory=dict)
    paces: Mapping[int, Paces] = field(default_factory=dict)
    workers: int = 1


NOBODY = LivePace()


def seen(client: redis.Redis, players: Iterable[int]) -> LivePace:
    """What Redis knows of these players. Raises RedisError."""
    ids = sorted(set(players))
    alive = vitals(client).workers[queues.PLAY]
    return LivePace(True, present(client, ids), paces(client, ids), max(alive, 1))
