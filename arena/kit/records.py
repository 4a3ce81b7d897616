"""Match records ("lama-arena/match/1") in a file of JSON lines."""

from collections.abc import Iterator
from pathlib import Path

from arena.base.errors import InvalidRequest, NotFound
from arena.games.record import RecordError, parse
from arena.sdk.recorded import Record


def records_in(file: Path) -> Iterator[Record]:
    """Yield all records. Raises InvalidRequest for an unreadable file, RecordError."""
    return (record for _, record in records_by_offset(file))


def records_by_offset(file: Path) -> Iterator[tuple[int, Record]]:
    """Yield all records, each after the offset of its line, for `record_at`."""
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
    """Return the record at an offset. Raises like `records_in`."""
    try:
        with file.open("rb") as lines:
            lines.seek(offset)
            return _record(lines.readline(), str(file))
    except OSError as error:
        raise InvalidRequest(f"{file} cannot be read: {error.strerror}.") from None


def _record(line: bytes, where: str) -> Record:
    try:
        return parse(line)
    except RecordError as error:
        raise RecordError(f"{where}: {error}") from None


def find_record(file: Path, match: str) -> Record:
    """Return the record of a match. Raises NotFound."""
    for record in records_in(file):
        if record.get("id") == match:
            return record
    raise NotFound(f"{file} has no match {match}.")
