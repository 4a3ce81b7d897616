"""The outputs of sessions, which the caller carries out after each event."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from arena.service.gateway.sessions.replies import ReplyBuffer
from arena.service.live.player_presence import Presence

if TYPE_CHECKING:
    from arena.service.gateway.sessions.player_session import PlayerSession
    from arena.service.gateway.sessions.stream import Stream

# Texts of problems, by code.
PROBLEMS = {
    "unknown_ticket": "No decision with ticket {ticket} is open: it was answered, timed out, or"
    " never asked. The choice is ignored.",
    "unknown_tickets": "{count} more choices of the same message answer no open decision either.",
    "malformed_choice": "The choice for ticket {ticket} has no answer: set its index, action, error"
    " or timeout. It counts as an error.",
    "too_many_choices": "{sentence} Until then what it sends beyond its decisions is dropped"
    " unexplained, and its stream is read once a second.",
    "notices_dropped": "{count} notices were dropped, because the bot did not read those before"
    " them: read faster, or set Hello.notices to false.",
}


@dataclass(frozen=True, slots=True)
class RefreshPresence:
    """Write a changed presence. Then call `SessionRegistry.refresh_lost` if there is a newer
    one."""

    presence: Presence


@dataclass(frozen=True, slots=True)
class ReleasePresence:
    """Remove a presence: its session is over."""

    presence: Presence


@dataclass(frozen=True, slots=True)
class NoteAllowance:
    """Store the remaining grace time of a player for the next gateway to which it connects. It lost
    its stream at `at` (Unix seconds); infinite if it has one."""

    presence: Presence
    left_s: float
    at: float


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Mark a player that stayed away as gone, unless it has a newer session. Then call
    `SessionRegistry.given_up`, or `give_up_failed` if Redis is unavailable."""

    session: PlayerSession


Command: TypeAlias = RefreshPresence | ReleasePresence | NoteAllowance | GiveUp


@dataclass(slots=True)
class Outputs:
    """Shared by all sessions of a gateway."""

    replies: ReplyBuffer = field(default_factory=ReplyBuffer)
    woken: set[Stream] = field(default_factory=set)  # which may have a message to write
    commands: list[Command] = field(default_factory=list)
    decisions_sent: int = 0
    notices_dropped: int = 0
    problems: Counter[str] = field(default_factory=Counter)  # by code
    overloaded: bool = False  # most bots ran out of time on a busy machine
    late_by: float = -inf  # answers to decisions whose clocks ran out by then are late
