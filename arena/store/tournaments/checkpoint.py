"""Matches put aside: what is needed to go on with them in another process, or to show them."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class SuspendedMatch:
    """A match in the middle of it. The ticket of its open question stays valid."""

    position: int
    ruleset: str
    ticket: int
    asked: float  # when that question arose; this and `started` are Unix seconds
    started: float
    log: bytes
    reasons: dict[int, str]  # of faults, by decision


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The matches of a batch that were put aside, and where their replies go."""

    reply_to: str
    matches: tuple[SuspendedMatch, ...]


def encode(parked: Checkpoint) -> bytes:
    """What is kept in a batch's row."""
    matches = [
        {**asdict(match), "log": base64.b64encode(match.log).decode()} for match in parked.matches
    ]
    return json.dumps({"reply_to": parked.reply_to, "matches": matches}).encode()


def decode(blob: bytes) -> Checkpoint:
    """The other way."""
    told = json.loads(blob)
    return Checkpoint(told["reply_to"], tuple([_match(match) for match in told["matches"]]))


def _match(told: dict[str, Any]) -> SuspendedMatch:
    return SuspendedMatch(
        position=told["position"],
        ruleset=told["ruleset"],
        ticket=told["ticket"],
        asked=told.get("asked", told["started"]),  # older releases kept no time
        started=told["started"],
        log=base64.b64decode(told["log"]),
        reasons={int(number): reason for number, reason in told["reasons"].items()},
    )
