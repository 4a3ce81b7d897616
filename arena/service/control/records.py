"""From a stored match to its record: the packed log played again."""

from __future__ import annotations

from typing import Any

from arena.games.record import RecordError, export, replay, verify
from arena.store.matches.matches import StoredMatch


def record_of(stored: StoredMatch) -> dict[str, Any]:
    """The JSON record of a stored match. Raises RecordError if its log does not fit."""
    reasons = {note.number: note.reason for note in stored.notes}
    return export(replay(stored.setup, stored.log, reasons))


def check_stored(stored: StoredMatch) -> None:
    """Whether the log leads to the points, ranks and forfeits that are stored beside it, and the
    record to itself. Raises RecordError."""
    record = record_of(stored)
    verify(record)
    result = record["result"]
    for name, kept in (
        ("points", [seat.points for seat in stored.seats]),
        ("ranks", [seat.rank for seat in stored.seats]),
    ):
        if result[name] != kept:
            raise RecordError(f"The {name} are stored as {kept}, replayed {result[name]}.")
    forfeited = [fault is not None for fault in result["faults"]]
    if forfeited != [seat.forfeited for seat in stored.seats]:
        raise RecordError("The forfeits that are stored do not follow from the log.")
