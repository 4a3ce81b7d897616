"""Puts matches in play aside."""

from __future__ import annotations

from collections.abc import Iterable

from arena import record
from arena.store.parked import Parked, ParkedMatch, encode
from workers.table import Table


def pack(reply_to: str, tables: Iterable[Table]) -> bytes:
    """What the store keeps of matches put aside."""
    matches = [
        ParkedMatch(
            position=table.planned.position,
            ruleset=table.match.game.ruleset,
            ticket=table.ticket,
            asked=table.asked,
            started=table.started,
            log=record.pack(table.match),
            reasons={fault.number: fault.reason for fault in table.match.faults},
        )
        for table in tables
    ]
    return encode(Parked(reply_to, tuple(matches)))
