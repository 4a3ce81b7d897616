"""Stores the forecast of a tournament at its start."""

from __future__ import annotations

import redis

from arena.service.forecast import forecast, measured, schedule, seen
from arena.service.live import first_forecasts
from arena.store import Store
from arena.store.tournaments import tournaments


def keep_forecast(store: Store, client: redis.Redis, tournament: int, in_flight: int) -> None:
    """Stores the forecast of a running tournament without stored matches, once. Raises RedisError
    and Unavailable."""
    if first_forecasts.recall(client, tournament) is not None:
        return
    with store.read() as conn:
        item = tournaments.get(conn, tournament)
        if item.state != "running" or item.played or item.kind == "table":
            return
        facts = measured(conn, item.spec, item.players)
    plan = schedule(item.spec, item.planned)
    estimate = forecast(plan, facts, seen(client, facts.players), in_flight)
    first_forecasts.note(client, tournament, estimate.seconds)
