"""Matches put aside: what is needed to go on with them in another process."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from dataclasses import dataclass

from arena import record
from workers.table import Table


@dataclass(frozen=True, slots=True)
class ParkedMatch:
    """A match in the middle of it. The ticket of its open question stays valid."""

    position: int
    ruleset: str
    ticket: int
    started: float  # Unix seconds
    log: bytes
    reasons: dict[int, str]  # of faults, by decision


@dataclass(frozen=True, slots=True)
class Parked:
    """The matches of a batch that were put aside, and where their replies go."""

    reply_to: str
    matches: tuple[ParkedMatch, ...]


def pack(reply_to: str, tables: Iterable[Table]) -> bytes:
    """What the store keeps of matches put aside."""
    matches = [
        {
            "position": table.planned.position,
            "ruleset": table.match.game.ruleset,
            "ticket": table.ticket,
            "started": table.started,
            "log": base64.b64encode(record.pack(table.match)).decode(),
            "reasons": {fault.number: fault.reason for fault in table.match.faults},
        }
        for table in tables
    ]
    return json.dumps({"reply_to": reply_to, "matches": matches}).encode()


def unpack(blob: bytes) -> Parked:
    """The other way."""
    told = json.loads(blob)
    matches = [
        ParkedMatch(
            position=match["position"],
            ruleset=match["ruleset"],
            ticket=match["ticket"],
            started=match["started"],
            log=base64.b64decode(match["log"]),
            reasons={int(number): reason for number, reason in match["reasons"].items()},
        )
        for match in told["matches"]
    ]
    return Parked(told["reply_to"], tuple(matches))
