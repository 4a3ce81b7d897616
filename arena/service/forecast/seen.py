"""Reads from Redis the state of bots and workers for a forecast."""

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
    """The connected players, the answer rates, and the number of workers."""

    known: bool = False  # whether Redis could be asked
    here: Mapping[int, Presence] = field(default_factory=dict)  # by player
    paces: Mapping[int, Paces] = field(default_factory=dict)  # by player
    workers: int = 1  # each with several processes


NOBODY = LivePace()


def seen(client: redis.Redis, players: Iterable[int]) -> LivePace:
    """Reads the state of these players and of the workers. Raises RedisError."""
    ids = sorted(set(players))
    alive = vitals(client).workers[queues.PLAY]
    return LivePace(True, present(client, ids), paces(client, ids), max(alive, 1))
