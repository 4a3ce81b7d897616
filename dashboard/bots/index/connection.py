"""The state of a bot's connection."""

from dataclasses import dataclass
from typing import Any, Literal

from arena.service.live.player_presence import Presence
from arena.service.live.reader import Live
from dashboard.api.shape import Shape

State = Literal["connected", "away", "offline", "unknown"]

PUBLIC_FIELDS = (
    *("since", "games", "min_seats", "max_seats", "max_in_flight", "sdk"),
    *("in_flight", "latency_ms"),
)
CONNECTION = Shape(
    "Connection",
    Presence,
    about=(
        "The connection of a bot. away: its stream is lost, and the grace time runs. unknown: the"
        " arena is not running. The other fields are present only while it is connected or away."
    ),
    only=PUBLIC_FIELDS,
    sometimes=PUBLIC_FIELDS,
    more={"state": State},
)


@dataclass(frozen=True)
class ConnectionState:
    """A player's connection. `state` is connected, away (its stream is lost, the grace time runs),
    offline or unknown."""

    state: State
    presence: Presence | None = None


def connection(live: Live, player: int) -> ConnectionState:
    if not live.known:
        return ConnectionState("unknown")
    presence = live.connected.get(player)
    if presence is None:
        return ConnectionState("offline")
    return ConnectionState("connected" if presence.connected else "away", presence)


def serialize_connection(link: ConnectionState) -> dict[str, Any]:
    presence = link.presence
    return CONNECTION.tell(presence, without=() if presence else PUBLIC_FIELDS, state=link.state)
