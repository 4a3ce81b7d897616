"""What parts of the arena cost, as `arena bench costs` measures it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from arena.base.errors import InvalidRequest

MEASURED = Path(__file__).with_name("measured.json")


@dataclass(frozen=True)
class StationCost:
    """CPU time, in microseconds: of a message with decisions of one bot, there and back, and of
    each decision in it."""

    message_us: float
    decision_us: float

    def of_decision(self, together: float) -> float:
        """Of one decision, where so many of them travel in a message."""
        return self.decision_us + self.message_us / together


@dataclass(frozen=True)
class Costs:
    """All that was measured.

    `store_us` is CPU time of a worker and `database_us` of the PostgreSQL server for a match that
    is stored and rated; for `lock_us` it keeps others from rating matches of its game. Bytes are of
    a stored match in each database and in an archive, of a bot that is connected (in the gateway),
    of a match in flight (in the worker), and of what Redis receives and sends for a decision.
    `waiting_bot_us` is CPU time of the gateway, per second, for a bot that is connected.
    `latency_us` is what a single decision takes there and back besides all CPU times.
    """

    worker: StationCost
    gateway: StationCost
    redis: StationCost
    bot: StationCost
    store_us: float
    database_us: float
    lock_us: float
    latency_us: float
    sqlite_bytes: float
    postgresql_bytes: float
    archive_bytes: float
    connected_bot_bytes: float
    waiting_bot_us: float
    match_in_flight_bytes: float
    redis_bytes: float


STATIONS = ("worker", "gateway", "redis", "bot")


def measured(file: Path = MEASURED) -> Costs:
    """The costs in a file of `arena bench costs`; without one, those that came with this release.
    Raises InvalidRequest."""
    try:
        told: Mapping[str, Any] = json.loads(file.read_text())["costs"]
        values = {each.name: told[each.name] for each in fields(Costs)}
        stations = {name: StationCost(**values[name]) for name in STATIONS}
        return Costs(**{**{k: v for k, v in values.items() if k not in stations}, **stations})
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InvalidRequest(
            f"{file} cannot be read as costs ({error}): give a file that `arena bench costs --out` "
            "wrote."
        ) from None
