"""Takes the presence snapshots from which a schedule judges who can be reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import redis

from arena.service.live import keys
from arena.service.live.player_presence import decode
from workers.schedule.routes import PresenceSnapshot


def take_snapshot(client: redis.Redis, players: Sequence[int]) -> PresenceSnapshot:
    """Who of these players is connected, and what there is to know of those who are not. Raises
    RedisError."""
    with client.pipeline(transaction=False) as pipeline:
        pipeline.mget([keys.presence(player) for player in players])
        pipeline.exists(keys.ANY_GATEWAY)
        pipeline.time()
        values, any_gateway, (seconds, microseconds) = pipeline.execute()
    pairs = zip(players, values, strict=True)
    present = {player: decode(value) for player, value in pairs if value is not None}
    absent = [player for player in players if player not in present]
    gone, held, left = _marks(client, absent)
    return PresenceSnapshot(
        present,
        any_gateway=bool(any_gateway),
        given_up={player: float(since) for player, since in gone.items()},
        held=held.keys(),
        left=left.keys(),
        time_us=seconds * 1_000_000 + microseconds,
    )


def _marks(client: redis.Redis, players: Sequence[int]) -> list[dict[int, bytes]]:
    """What the marks of these players hold, of those that are set: gone, held, left."""
    if not players:
        return [{}, {}, {}]
    kinds = keys.gone, keys.held, keys.left
    values = iter(
        cast("list[bytes | None]", client.mget([kind(each) for kind in kinds for each in players]))
    )
    return [
        {player: value for player in players if (value := next(values)) is not None} for _ in kinds
    ]
