"""How long a tournament takes, from how fast its bots answer and how fast the arena is.

    facts = measured(conn, spec, players)      what the database knows; nothing else is asked
    live = seen(client, facts.players)         what Redis knows
    forecast(plan, facts, live, ...)           pure

Apart, so that nobody holds a connection to the one while waiting for the other.
"""

from arena.service.forecast.forecast import Forecast, Slow, forecast
from arena.service.forecast.measured import Measured, measured
from arena.service.forecast.schedule import PlannedLoad, schedule
from arena.service.forecast.seen import NOBODY, LivePace, seen
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
