"""From a stored match to its record: the packed log played again."""

from __future__ import annotations

from typing import Any

from arena.record import export, replay
from arena.store.matches.matches import StoredMatch


def record_of(stored: StoredMatch) -> dict[str, Any]:
    """The JSON record of a stored match. Raises RecordError if its log does not fit."""
    reasons = {note.number: note.reason for note in stored.notes}
    return export(replay(stored.setup, stored.log, reasons))
