"""Replays stored matches to create and check their records."""

from __future__ import annotations

from typing import Any

from arena.games.packed_log import replay
from arena.games.record import RecordError, export, verify
from arena.store.matches.matches import StoredMatch


def record_of(stored: StoredMatch) -> dict[str, Any]:
    """The JSON record of a stored match. Raises RecordError if its log is not valid."""
    reasons = {note.number: note.reason for note in stored.notes}
    return export(replay(stored.setup, stored.log, reasons))


def check_stored(stored: StoredMatch) -> None:
    """Raises RecordError if a replay does not lead to the stored points, ranks and forfeits, or
    the record is not consistent."""
    record = record_of(stored)
    verify(record)
    result = record["result"]
    for name, kept in (
        ("points", [seat.points for seat in stored.seats]),
        ("ranks", [seat.rank for seat in stored.seats]),
    ):
        if result[name] != kept:
            raise RecordError(f"The stored {name} are {kept}, but a replay gives {result[name]}.")
    forfeited = [fault is not None for fault in result["faults"]]
    if forfeited != [seat.forfeited for seat in stored.seats]:
        raise RecordError("The stored forfeits do not match the log.")
