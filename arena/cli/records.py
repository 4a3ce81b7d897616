"""Match records, one by one: from an arena, or from a file of JSON lines."""

import json
from collections.abc import Iterable, Iterator

from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.port import Control, all_matches


def all_ids(control: Control, tournament: int | None) -> Iterator[str]:
    """Return the ids of all matches, or of a tournament's, newest first."""
    return (match.id for match in all_matches(control, tournament))


def records(control: Control, ids: Iterable[str]) -> Iterator[str]:
    """Yield each match's record as JSON on one line."""
    for match_id in ids:
        yield control.get_match_record(pb.MatchId(id=match_id)).json


def name_of(text: str, number: int) -> str:
    """Return the match id in a record's JSON, or else its number in words."""
    try:
        return str(json.loads(text)["id"])
    except (ValueError, KeyError, TypeError):
        return f"Record {number}"
