"""Forecasts the duration of tournaments from the speed of their bots and of the arena.

    facts = measured(conn, spec, players)      reads the database
    live = seen(client, facts.players)         reads Redis
    forecast(plan, facts, live, ...)           pure

The steps are separate so that no database connection is held while waiting for Redis.
"""

from arena.service.forecast.forecast import Forecast, Slow, forecast
from arena.service.forecast.measured import (
    NOBODY,
    LivePace,
    Measured,
    PlannedLoad,
    measured,
    schedule,
    seen,
)
from arena.service.forecast.speed import Speed

__all__ = [
    "NOBODY",
    "Forecast",
    "LivePace",
    "Measured",
    "PlannedLoad",
    "Slow",
    "Speed",
    "forecast",
    "measured",
    "schedule",
    "seen",
]
