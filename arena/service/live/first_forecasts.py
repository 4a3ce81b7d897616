"""How long tournaments were to take when they started, for comparison with how long they take.

One key per tournament. It may be lost with its Redis; then there is nothing to compare.
"""

from __future__ import annotations

import redis

from arena.service.live import keys

KEPT_S = 90 * 86_400


def note(client: redis.Redis, tournament: int, seconds: float) -> None:
    """Keeps the first forecast of a tournament; later ones are ignored. Raises RedisError."""
    client.set(keys.first_forecast(tournament), repr(seconds), nx=True, ex=KEPT_S)


def recall(client: redis.Redis, tournament: int) -> float | None:
    """Seconds that were forecast at its start; None where that is not known. Raises RedisError."""
    kept = client.get(keys.first_forecast(tournament))
    return None if kept is None else float(kept)
