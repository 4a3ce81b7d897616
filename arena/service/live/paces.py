"""Stores the answer rates of bots, as measured by gateways (`arena.service.gateway.sessions.load`).

There is one key per player, which is kept when the bot disconnects. Only forecasts use it
(`arena.service.forecast`), so Redis may lose it.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import astuple
from typing import Any

import redis
import redis.asyncio

from arena.service.live import keys
from arena.service.live.player_presence import AnswerCounts, Paces

KEPT_S = 90 * 86_400
LIMIT = "max_in_flight"  # a field; all others are named after games


async def note(client: redis.asyncio.Redis, by_player: Mapping[int, Paces]) -> None:
    """Stores the rates of these players. Keeps the rates of other games. Raises RedisError."""
    if not by_player:
        return
    async with client.pipeline(transaction=False) as pipeline:
        for player, paces in by_player.items():
            key = keys.paces(player)
            pipeline.hset(key, mapping=_encode(paces))
            pipeline.expire(key, KEPT_S)
        await pipeline.execute()


async def recall(client: redis.asyncio.Redis, player: int) -> Paces | None:
    """The stored rates of a player, if any. Raises RedisError."""
    return _decode(await client.hgetall(keys.paces(player)))


def paces(client: redis.Redis, players: Iterable[int]) -> dict[int, Paces]:
    """The stored rates of these players, where there are any. Raises RedisError."""
    ids = list(players)
    with client.pipeline(transaction=False) as pipeline:
        for player in ids:
            pipeline.hgetall(keys.paces(player))
        rows = zip(ids, map(_decode, pipeline.execute()), strict=True)
    return {player: paces for player, paces in rows if paces is not None}


def _encode(paces: Paces) -> Mapping[Any, Any]:
    games: dict[str, object] = {
        game: json.dumps({step: astuple(load) for step, load in loads.items()})
        for game, loads in paces.by_game.items()
    }
    return {LIMIT: paces.max_in_flight, **games}


def _decode(fields: Mapping[Any, Any]) -> Paces | None:
    if not fields:
        return None
    values = {name.decode(): json.loads(value) for name, value in fields.items()}
    limit = values.pop(LIMIT)
    by_game = {
        game: {int(step): AnswerCounts(*counted) for step, counted in loads.items()}
        for game, loads in values.items()
    }
    return Paces(limit, by_game)
