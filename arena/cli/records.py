"""Match records, one by one: from an arena, or from a file of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from arena.games.record import RecordError
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.pages import all_matches
from arena.service.control.port import Control


def all_ids(control: Control, tournament: int | None) -> Iterator[str]:
    """Return the ids of all matches, or of a tournament's, newest first."""
    return (match.id for match in all_matches(control, tournament))


def records(control: Control, ids: Iterable[str]) -> Iterator[str]:
    """Yield each match's record as JSON on one line."""
    for match_id in ids:
        yield control.get_match_record(pb.MatchId(id=match_id)).json


def parse(text: str) -> dict[str, Any]:
    """Parse a record. Raises RecordError unless it is a JSON object."""
    try:
        record = json.loads(text)
    except ValueError as error:
        raise RecordError(f"The record is not valid JSON ({error}).") from None
    if not isinstance(record, dict):
        raise RecordError("The record is not a JSON object.")
    return record


def name_of(text: str) -> str:
    """Return the match id in a record's JSON, or ""."""
    try:
        return str(parse(text).get("id", ""))
    except RecordError:
        return ""
