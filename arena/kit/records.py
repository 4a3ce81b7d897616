"""Match records ("lama-arena/match/1") in a file of JSON lines, and playing them again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.errors import InvalidRequest, NotFound
from arena.match import FAULT_KINDS, Fault, Match, MatchSetup, Seat
from arena.record import FORMAT, RecordError, verify

Record = Mapping[str, Any]
NO_LIMIT = 2**31  # a record says who forfeited, and not at how many faults


def records_in(file: Path) -> Iterator[Record]:
    """All records, one by one. Raises InvalidRequest for a file that cannot be read, RecordError
    for a line that is no record, or one of a newer format."""
    return (record for _, record in records_by_offset(file))


def records_by_offset(file: Path) -> Iterator[tuple[int, Record]]:
    """The same, each behind the place in the file at which its line begins, for `record_at`."""
    offset = 0
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield offset, _record(line, f"{file}, line {number}")
                offset += len(line)
    except OSError as error:
        raise InvalidRequest(f"{file} cannot be read: {error.strerror}.") from None


def record_at(file: Path, offset: int) -> Record:
    """The record that begins there. Raises as `records_in` does."""
    try:
        with file.open("rb") as lines:
            lines.seek(offset)
            return _record(lines.readline(), str(file))
    except OSError as error:
        raise InvalidRequest(f"{file} cannot be read: {error.strerror}.") from None


def _record(line: bytes, where: str) -> Record:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise RecordError(f"{where}: this is not JSON ({error}).") from None
    if not isinstance(record, dict) or "format" not in record:
        raise RecordError(f"{where}: this is no record of a match.")
    if record["format"] != FORMAT:
        raise RecordError(
            f"{where}: the record has the format {record['format']!r}, and this release reads "
            f"{FORMAT!r}: install a newer lama-arena."
        )
    return record


def find_record(file: Path, match: str) -> Record:
    """The record of a match. Raises NotFound where the file does not have it."""
    for record in records_in(file):
        if record.get("id") == match:
            return record
    raise NotFound(f"{file} has no match {match}.")


def replayed(record: Record) -> Match:
    """The finished match of a record. Raises RecordError for one that breaks the rules."""
    recorded = Recorded(record)
    while recorded.match.decision is not None:
        recorded.step()
    return recorded.match


class Recorded:
    """A match that goes as a record says."""

    def __init__(self, record: Record) -> None:
        """At its first decision. Raises RecordError for a record that does not follow from its
        seed and moves."""
        verify(record)
        with _well_formed():
            self.match = Match(_setup(record))
            self.moves = [move for round_ in record["rounds"] for move in round_["moves"]]
            self._forfeiting = _forfeiting(record, self.moves)

    def step(self) -> Fault | None:
        """Plays what was recorded at the present decision; returns the fault that it was. Raises
        RecordError."""
        view = self.match.decision
        assert view is not None
        with _well_formed():
            move = self.moves[view.number - 1]
            spent = int(move.get("latency_us", 0))
            if "fault" in move:
                return self._fail(view.number, move, spent)
            if refused := self.match.answer(move["action"], spent):
                raise RecordError(f"Decision {view.number} of the record: {refused.reason}")
            return None

    def _fail(self, number: int, move: Record, spent: int) -> Fault:
        if move["fault"] not in FAULT_KINDS:
            raise RecordError(f"Decision {number} has the unknown fault {move['fault']!r}.")
        fault = self.match.fail(move["fault"], "", spent, number in self._forfeiting)
        if fault.instead != move["action"]:
            raise RecordError(f"Decision {number} of the record has another default action.")
        return fault


@contextmanager
def _well_formed() -> Iterator[None]:
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise RecordError(f"The record is incomplete or malformed ({error!r}).") from None


def _setup(record: Record) -> MatchSetup:
    return MatchSetup(
        id=str(record["id"]),
        game=record["game"],
        seed=bytes.fromhex(record["seed"]),
        seats=tuple(Seat(str(seat["bot"]), str(seat["version"])) for seat in record["seats"]),
        options=record["options"],
        fault_limit=NO_LIMIT,
        ruleset=record["ruleset"],
    )


def _forfeiting(record: Record, moves: list[Any]) -> set[int]:
    """The decisions with the faults by which seats forfeited: the last faults of these."""
    last = {move["seat"]: number for number, move in enumerate(moves, 1) if "fault" in move}
    forfeited = [seat for seat, fault in enumerate(record["result"]["faults"]) if fault]
    return {last[seat] for seat in forfeited}
