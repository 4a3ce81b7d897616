"""How a bot's connection stands, in a word and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from arena.service.live.presence import Presence
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
        "How a bot is connected; what is beside the state, while it is. away: its stream is lost,"
        " the grace time runs. unknown: the arena does not run."
    ),
    only=PUBLIC_FIELDS,
    sometimes=PUBLIC_FIELDS,
    more={"state": State},
)


@dataclass(frozen=True)
class ConnectionState:
    """What is known of one player's connection.

    `state` is connected, away (its stream is lost, the grace time runs), offline or unknown.
    """

    state: State
    presence: Presence | None = None


def connection(live: Live, player: int) -> ConnectionState:
    """The connection of a player."""
    if not live.known:
        return ConnectionState("unknown")
    presence = live.connected.get(player)
    if presence is None:
        return ConnectionState("offline")
    return ConnectionState("connected" if presence.connected else "away", presence)


def serialize_connection(link: ConnectionState) -> dict[str, Any]:
    """The connection as JSON; where it goes to is the arena's own affair."""
    presence = link.presence
    return CONNECTION.tell(presence, without=() if presence else PUBLIC_FIELDS, state=link.state)
