"""Takes the presence snapshots from which a schedule judges who can be reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import redis

from arena.live import keys, presence
from workers.schedule.routes import PresenceSnapshot


def take_snapshot(
    client: redis.Redis, players: Sequence[int], game: str, seats: int
) -> PresenceSnapshot:
    """Who of these players is connected, and what there is to know of those who are not, or not
    for this game at so many seats. Raises RedisError."""
    present = presence.present(client, players)
    absent = [player for player in players if player not in present]
    others = [one for one in present.values() if not one.plays(game, seats)]
    if not absent and not others:
        return PresenceSnapshot(present)
    if not presence.any_gateway(client):
        return PresenceSnapshot(present, any_gateway=False)
    seconds, microseconds = client.time() if others else (0, 0)
    return PresenceSnapshot(
        present,
        given_up=_marked(client, absent, [keys.gone(player) for player in absent]),
        held=_marked(client, absent, [keys.held(player) for player in absent]),
        left=_marked(client, absent, [keys.left(player) for player in absent]),
        time_us=seconds * 1_000_000 + microseconds,
    )


def _marked(client: redis.Redis, players: Sequence[int], marks: Sequence[str]) -> frozenset[int]:
    """The players whose mark is set."""
    if not players:
        return frozenset()
    values = cast("list[bytes | None]", client.mget(marks))
    pairs = zip(players, values, strict=True)
    return frozenset(player for player, value in pairs if value is not None)
