"""The forecasts at the start of tournaments, to compare with their actual durations.

There is one key per tournament. If Redis loses it, there is no comparison.
"""

import redis

from arena.service.live import keys

KEPT_S = 90 * 86_400


def note(client: redis.Redis, tournament: int, seconds: float) -> None:
    """Stores the first forecast of a tournament; ignores later ones. Raises RedisError."""
    client.set(keys.first_forecast(tournament), repr(seconds), nx=True, ex=KEPT_S)


def recall(client: redis.Redis, tournament: int) -> float | None:
    """The seconds that were forecast at its start; None if unknown. Raises RedisError."""
    kept = client.get(keys.first_forecast(tournament))
    return None if kept is None else float(kept)
