"""Takes the presence snapshots from which a schedule judges who can be reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import redis

from arena.live import keys
from arena.live.player_presence import decode
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
    gone = _marks(client, absent, [keys.gone(player) for player in absent])
    return PresenceSnapshot(
        present,
        any_gateway=bool(any_gateway),
        given_up={player: float(since) for player, since in gone.items()},
        held=_marks(client, absent, [keys.held(player) for player in absent]).keys(),
        left=_marks(client, absent, [keys.left(player) for player in absent]).keys(),
        time_us=seconds * 1_000_000 + microseconds,
    )


def _marks(client: redis.Redis, players: Sequence[int], marks: Sequence[str]) -> dict[int, bytes]:
    """What the marks of these players hold, of those that are set."""
    if not players:
        return {}
    values = cast("list[bytes | None]", client.mget(marks))
    pairs = zip(players, values, strict=True)
    return {player: value for player, value in pairs if value is not None}
