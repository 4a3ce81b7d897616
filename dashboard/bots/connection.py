"""How a bot's connection stands, in a word and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena.live.presence import Presence
from dashboard.sources import Live


@dataclass(frozen=True)
class Connection:
    """What is known of one player's connection.

    `state` is connected, away (its stream is lost, the grace time runs), offline or unknown.
    """

    state: str
    presence: Presence | None = None


def connection(live: Live, player: int) -> Connection:
    """The connection of a player."""
    if not live.known:
        return Connection("unknown")
    presence = live.connected.get(player)
    if presence is None:
        return Connection("offline")
    return Connection("connected" if presence.connected else "away", presence)


def told(found: Connection) -> dict[str, Any]:
    """The connection as JSON; where it goes to is the arena's own affair."""
    presence = found.presence
    if presence is None:
        return {"state": found.state}
    return {
        "state": found.state,
        "since": presence.since,
        "games": presence.games,
        "min_seats": presence.min_seats,
        "max_seats": presence.max_seats,
        "max_in_flight": presence.max_in_flight,
        "sdk": presence.sdk,
        "in_flight": presence.in_flight,
        "latency_ms": presence.latency_ms,
    }
