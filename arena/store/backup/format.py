"""The format of a backup: lines of JSON, compressed by gzip.

    {"backup": "lama-arena", "format": 1, "version": "0100", "release": "0.1.0", "created": 1.7e9}
    {"table": "accounts", "columns": ["id", "name"], "next": 3}     followed by its rows:
    [1, "ada"]
    {"table": ...
    {"rows": {"accounts": 1}, "sha256": "..."}                      the last line

Bytes are base64. `next` is the number of the table's next row, for tables that number their rows.
The checksum covers all lines before the last one. `zcat FILE | head -1` describes a file.
"""

import gzip
import hashlib
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import IO, Any

from sqlalchemy import INTEGER, BigInteger, Column, LargeBinary, MetaData, Table, create_engine

from arena import __version__
from arena.base.errors import InvalidRequest, SchemaMismatch
from arena.store import schema
from arena.store.migrate import HEAD, make_version
from arena.store.tables import metadata, submission_files

MAGIC, FORMAT = "lama-arena", 1
NO_BACKUP = "This file is not a backup of an arena. Choose one that `arena backup` wrote."
LEVEL = 3  # of gzip: three times as fast as the default, a tenth larger
PORTION = 1000  # rows in memory at the same time


@dataclass(frozen=True)
class Contents:
    """A backup's description of itself: schema version, release, time of creation (Unix seconds),
    and number of rows of each table."""

    version: str
    release: str
    created: float
    rows: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Number of rows of all tables."""
        return sum(self.rows.values())


@dataclass(frozen=True)
class Portion:
    """Rows of a table; each table has at least one portion. `next_key` as in the format."""

    table: Table
    next_key: int | None
    rows: list[dict[str, Any]]


def portion_size(table: str) -> int:
    """Number of rows of a table in memory at the same time; rows with whole uploads are large."""
    return 1 if table == submission_files.name else PORTION


class BackupWriter:
    """Writes a backup: call `begin_table` and `add_rows` for each table, then `finish`."""

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
        """Starts a table with these columns; the following rows belong to it."""
        self._binary = [i for i, each in enumerate(columns) if isinstance(each.type, LargeBinary)]
        self._table = name
        self.contents.rows[name] = 0
        head = {"table": name, "columns": [each.name for each in columns]}
        self._write(head if next_key is None else {**head, "next": next_key})

    def add_rows(self, rows: Sequence[Sequence[Any]]) -> None:
        """Adds rows, with their values in the order of the columns."""
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
    """Reads a backup from start to end, once. `tables` has the tables of its version. Raises
    InvalidRequest if it is not a backup or damaged, SchemaMismatch if its schema is newer than this
    release."""

    def __init__(self, file: IO[bytes]) -> None:
        self._lines = gzip.GzipFile(fileobj=file, mode="rb")
        self._digest = hashlib.sha256()
        self.contents = self._read_head()
        self.tables = tables_at(self.contents.version)

    def portions(self) -> Iterator[Portion]:
        """All rows, table by table. The file is complete only if this ends without an error."""
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
    """Reads a whole backup and returns its description. Raises InvalidRequest if it is not a backup
    or damaged, SchemaMismatch if its schema is newer than this release."""
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
            f"Nothing was restored. The backup is damaged or incomplete ({error}). Use another one."
        ) from None


# The tables of each version


@lru_cache(maxsize=4)
def tables_at(version: str | None) -> Mapping[str, Table]:
    """The tables of a version by name, referenced tables first. Raises SchemaMismatch if the
    version is unknown or empty, or an upgrade from it is under way."""
    if version == HEAD:
        return _sorted(metadata)
    if version is None or not version.isdigit() or version > HEAD:
        raise SchemaMismatch(schema.sentence(version, HEAD))
    engine, found = create_engine("sqlite://"), MetaData()
    try:
        with engine.begin() as conn:
            make_version(conn, version)
            found.reflect(conn)
    finally:
        engine.dispose()
    found.remove(found.tables[schema.TABLE])
    for table in found.tables.values():
        _type(table)
    return _sorted(found)


def columns_of(table: Table) -> list[Column[object]]:
    """The columns in the order of the release of that version; the columns that it shares with this
    release have the same order in both."""
    newest = metadata.tables.get(table.name, table)
    known = [table.c[column.name] for column in newest.columns if column.name in table.c]
    return known + [column for column in table.columns if column.name not in newest.c]


def _type(table: Table) -> None:
    """Sets column types that suit both databases: SQLite has only one type of integers."""
    newest = metadata.tables.get(table.name, table)
    for column in table.columns:
        known = newest.c.get(column.name, column).type
        column.type = BigInteger() if isinstance(known, INTEGER) else known


def _sorted(tables: MetaData) -> Mapping[str, Table]:
    return {table.name: table for table in tables.sorted_tables}
