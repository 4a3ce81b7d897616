"""The format of a backup: lines of JSON, compressed by gzip.

    {"backup": "lama-arena", "format": 1, "version": "0100", "release": "0.1.0", "created": 1.7e9}
    {"table": "accounts", "columns": ["id", "name"], "next": 3}     then its rows:
    [1, "ada"]
    {"table": ...
    {"rows": {"accounts": 1}, "sha256": "..."}                      the last line

Bytes are base64. `next` is the number that the table gives to its next row, if it gives numbers.
The checksum is over all lines before the last one. So `zcat FILE | head -1` says what a file is.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import IO, Any

from sqlalchemy import Column, LargeBinary, Table

from arena import __version__
from arena.base.errors import InvalidRequest, SchemaMismatch
from arena.store import schema
from arena.store.backup.tables import tables_at
from arena.store.migrate import HEAD
from arena.store.tables import submission_files

MAGIC, FORMAT = "lama-arena", 1
NO_BACKUP = "This file is no backup of an arena: give one that `arena backup` wrote."
LEVEL = 3  # of gzip: a third of the time of the default, a tenth larger
PORTION = 1000  # rows that are in memory together


@dataclass(frozen=True)
class Contents:
    """What a backup says of itself: schema version, release, when it was made (Unix seconds), and
    how many rows each table has."""

    version: str
    release: str
    created: float
    rows: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The rows of all tables together."""
        return sum(self.rows.values())


@dataclass(frozen=True)
class Portion:
    """Some rows of a table, at least one portion for each table; `next_key` as in the format."""

    table: Table
    next_key: int | None
    rows: list[dict[str, Any]]


def portion_size(table: str) -> int:
    """How many rows of a table are in memory together; those with whole uploads are large."""
    return 1 if table == submission_files.name else PORTION


class BackupWriter:
    """Writes a backup: `begin_table` and its `add_rows`, for each table, and `finish`."""

    def __init__(self, file: IO[bytes], version: str, now: float) -> None:
        self.contents = Contents(version, __version__, now)
        self._gzip = gzip.GzipFile(fileobj=file, mode="wb", compresslevel=LEVEL, filename="")
        self._digest = hashlib.sha256()
        self._binary: list[int] = []
        self._table = ""
        head = {"version": version, "release": __version__, "created": now}
        self._write({"backup": MAGIC, "format": FORMAT, **head})

    def begin_table(
        self, name: str, columns: Sequence[Column[object]], next_key: int | None
    ) -> None:
        """Begins a table: the rows that follow are its, with these columns."""
        self._binary = [i for i, each in enumerate(columns) if isinstance(each.type, LargeBinary)]
        self._table = name
        self.contents.rows[name] = 0
        head = {"table": name, "columns": [each.name for each in columns]}
        self._write(head if next_key is None else {**head, "next": next_key})

    def add_rows(self, rows: Sequence[Sequence[Any]]) -> None:
        """Adds rows, their values in the order of the columns."""
        for row in rows:
            values = list(row)
            for place in self._binary:
                if values[place] is not None:
                    values[place] = b64encode(values[place]).decode()
            self._write(values)
        self.contents.rows[self._table] += len(rows)

    def finish(self) -> Contents:
        """Ends the file with counts and checksum."""
        self._write({"rows": self.contents.rows, "sha256": self._digest.hexdigest()})
        self._gzip.close()
        return self.contents

    def _write(self, value: object) -> None:
        line = json.dumps(value, separators=(",", ":")).encode() + b"\n"
        self._digest.update(line)
        self._gzip.write(line)


class BackupReader:
    """Reads a backup from front to end, once.

    Raises InvalidRequest where it is no backup or damaged, SchemaMismatch when it is of a newer
    version of the schema. `tables` are those of its version.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._lines = gzip.GzipFile(fileobj=file, mode="rb")
        self._digest = hashlib.sha256()
        self.contents = self._read_head()
        self.tables = tables_at(self.contents.version)

    def portions(self) -> Iterator[Portion]:
        """All rows, table by table; only if it ends without an error is the file whole."""
        with _damage_explained():
            portion: Portion | None = None
            for line in self._lines:
                value = json.loads(line)
                if isinstance(value, list):
                    if portion is None:
                        raise ValueError("a row of no table")
                    portion.rows.append(self._decoded(value))
                    if len(portion.rows) == portion_size(portion.table.name):
                        yield self._counted(portion)
                        portion = replace(portion, rows=[])
                else:
                    if portion is not None:
                        yield self._counted(portion)
                    if "table" not in value:
                        self._check_end(value)
                        return
                    portion = self._begun(value)
                self._digest.update(line)
            raise EOFError("its last line is missing")

    def _read_head(self) -> Contents:
        try:
            line = self._lines.readline()
            head = json.loads(line)
            found = Contents(str(head["version"]), str(head["release"]), float(head["created"]))
            magic, format_ = head["backup"], head["format"]
        except (gzip.BadGzipFile, EOFError, zlib.error, ValueError, TypeError, KeyError):
            raise InvalidRequest(NO_BACKUP) from None
        if magic != MAGIC:
            raise InvalidRequest(NO_BACKUP)
        if format_ != FORMAT or not found.version.isdigit() or found.version > HEAD:
            raise _mismatch(found, "Restore it with a release that is at least as new.")
        if found.version < schema.FIRST:
            raise _mismatch(found, "Only the development version that made it can restore it.")
        self._digest.update(line)
        return found

    def _counted(self, portion: Portion) -> Portion:
        rows = self.contents.rows
        rows[portion.table.name] = rows.get(portion.table.name, 0) + len(portion.rows)
        return portion

    def _check_end(self, end: dict[str, Any]) -> None:
        if self._lines.readline():
            raise ValueError("it goes on after its last line")
        if end["sha256"] != self._digest.hexdigest():
            raise ValueError("its checksum does not fit")
        if end["rows"] != self.contents.rows or set(end["rows"]) != set(self.tables):
            raise ValueError("its counts do not fit")

    def _begun(self, head: dict[str, Any]) -> Portion:
        table = self.tables[head["table"]]
        self._columns = [table.c[name] for name in head["columns"]]
        if len(self._columns) != len(table.c):
            raise ValueError(f"{table.name} has other columns")
        return Portion(table, head.get("next"), [])

    def _decoded(self, values: list[Any]) -> dict[str, Any]:
        return {
            column.name: b64decode(value)
            if value is not None and isinstance(column.type, LargeBinary)
            else value
            for column, value in zip(self._columns, values, strict=True)
        }


def check_backup(file: IO[bytes]) -> Contents:
    """Reads a backup through and says what is in it. Raises InvalidRequest where it is no backup
    or damaged, SchemaMismatch if it is of a newer version of the schema."""
    reader = BackupReader(file)
    for _ in reader.portions():
        pass
    return reader.contents


def _mismatch(found: Contents, advice: str) -> SchemaMismatch:
    return SchemaMismatch(
        f"The backup has schema version {found.version} and was made by lama-arena "
        f"{found.release}. This is lama-arena {__version__}, which reads backups of versions "
        f"{schema.FIRST} to {HEAD}. {advice}"
    )


@contextmanager
def _damage_explained() -> Iterator[None]:
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error, ValueError, TypeError, KeyError) as error:
        raise InvalidRequest(
            f"The backup is damaged or cut short ({error}): use another one, nothing was restored."
        ) from None
