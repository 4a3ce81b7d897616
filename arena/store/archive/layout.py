"""The contents of an archive file, and how one is written. It is a SQLite database, which opens
anywhere and is read in place.

    head         name, value: format, release, schema version, counts, columns, a SHA-256 over all
    blocks       number, first and last match number, matches, SHA-256, and the block: up to 200
                 matches with their seats and fault notes, all columns unchanged
                 (`arena.store.archive.codec`)
    ids          the first six bytes of the SHA-256 of a match's id, and its block
    tournaments  by tournament and block: number of matches, lowest and highest position and deal

Most of the bytes cannot be derived from others: the log, the seed, the id, the start and end, and
the Elo of each seat.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena import __version__
from arena.base import instant
from arena.base.errors import Unavailable
from arena.store.archive.codec import Layout, layout_of, pack
from arena.store.files import new_path
from arena.store.tables import MATCH_TABLES, matches

MAGIC, FORMAT = "lama-arena archive", 1
APPLICATION_ID = 0x6C616D61  # identifies an archive to `file`
BLOCK = 200  # matches
MOST = 1_000_000  # matches in a file
KEY_BYTES = 6  # of an id's digest; two ids of a file may have the same

LAYOUT = layout_of(MATCH_TABLES)
Rows = Sequence[Sequence[Any]]
_PLACE = {name: place for place, name in enumerate(matches.c.keys())}

SCHEMA = """
CREATE TABLE head (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE blocks (
    number INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL,
    matches INTEGER NOT NULL, sha256 BLOB NOT NULL, block BLOB NOT NULL
);
CREATE TABLE ids (key INTEGER, block INTEGER, PRIMARY KEY (key, block)) WITHOUT ROWID;
CREATE TABLE tournaments (
    tournament INTEGER, block INTEGER, matches INTEGER NOT NULL,
    first_position INTEGER NOT NULL, last_position INTEGER NOT NULL,
    first_deal INTEGER NOT NULL, last_deal INTEGER NOT NULL,
    PRIMARY KEY (tournament, block)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Head:
    """An archive's description of itself: the schema version and release that wrote it, the month
    (such as 2026-11), row counts, the numbers of its first and last match, the time of creation
    (Unix seconds), and the columns of each table."""

    schema: str
    release: str
    month: str
    matches: int
    seats: int
    notes: int
    first: int
    last: int
    created: float
    columns: Layout

    def fields(self) -> dict[str, str]:
        """The description as it is stored."""
        said = {"arena": MAGIC, "format": FORMAT, **asdict(self)}
        return {name: json.dumps(value) for name, value in said.items()}

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> Head:
        """Reads a description. Raises ValueError, KeyError or TypeError if it is not one."""
        said: dict[str, Any] = {name: json.loads(value) for name, value in fields.items()}
        if (said.pop("arena"), said.pop("format")) != (MAGIC, FORMAT):
            raise ValueError("it has another format")
        columns = said.pop("columns")
        layout = {table: [(name, kind) for name, kind in each] for table, each in columns.items()}
        return cls(columns=layout, **said)


def digest_of(fields: Mapping[str, str], blocks: Iterable[bytes]) -> str:
    """SHA-256 over the head and the digests of all blocks, as hexadecimal digits."""
    digest = hashlib.sha256(json.dumps(dict(sorted(fields.items()))).encode())
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()


def key_of(match: str) -> int:
    """The key of a match's id in the index."""
    digest = hashlib.sha256(match.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:KEY_BYTES], "big", signed=True)


def damaged(name: str, reason: object) -> Unavailable:
    """The error for a file that cannot be used."""
    said = " ".join(str(reason).split()).rstrip(".")
    return Unavailable(
        f"The archive {name} is damaged or not an archive ({said}). Replace it by a copy.",
        f"The archive {name} is damaged. Ask the arena's operator to replace it.",
    )


class ArchiveWriter:
    """Writes an archive: call `add_block` in the order of match numbers, then `finish`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._digests: list[bytes] = []
        self._ids: list[tuple[int, int]] = []
        self._bounds: list[int] = []
        self._counts = [0, 0, 0]

    def add_block(self, rows: Sequence[Rows]) -> None:
        """Adds matches with their seats and fault notes: the rows of each of MATCH_TABLES, with all
        columns, ordered by key."""
        number, of_matches = len(self._digests), rows[0]
        block = pack(LAYOUT, dict(zip(LAYOUT, rows, strict=True)))
        digest = hashlib.sha256(block).digest()
        first, last = (of_matches[place][_PLACE["number"]] for place in (0, -1))
        line = number, first, last, len(of_matches), digest, block
        self._connection.execute("INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?)", line)
        lines = tournaments_of(of_matches, number)
        self._connection.executemany("INSERT INTO tournaments VALUES (?, ?, ?, ?, ?, ?, ?)", lines)
        self._ids += [(key_of(row[_PLACE["id"]]), number) for row in of_matches]
        self._digests.append(digest)
        self._bounds += [first, last]
        self._counts = [c + len(each) for c, each in zip(self._counts, rows, strict=True)]

    def finish(self, schema: str, month: str) -> Head:
        """Ends the file, which must have a block."""
        # Sorted, so that all pages are full.
        keys = sorted(set(self._ids))
        self._connection.executemany("INSERT INTO ids VALUES (?, ?)", keys)
        counts = self._counts[0], self._counts[1], self._counts[2]
        bounds = self._bounds[0], self._bounds[-1]
        head = Head(schema, __version__, month, *counts, *bounds, instant.now(), LAYOUT)
        fields = head.fields()
        fields["sha256"] = digest_of(fields, self._digests)
        self._connection.executemany("INSERT INTO head VALUES (?, ?)", fields.items())
        return head


def tournaments_of(rows: Rows, block: int) -> list[tuple[int, ...]]:
    """The index of tournaments for the matches of a block."""
    found: dict[int, list[tuple[int, int]]] = {}
    for row in rows:
        place = row[_PLACE["position"]], row[_PLACE["deal"]]
        found.setdefault(row[_PLACE["tournament"]], []).append(place)
    lines: list[tuple[int, ...]] = []
    for tournament, places in sorted(found.items()):
        positions, deals = zip(*places, strict=True)
        bounds = min(positions), max(positions), min(deals), max(deals)
        lines.append((tournament, block, len(places), *bounds))
    return lines


@contextmanager
def new_archive(path: Path) -> Iterator[ArchiveWriter]:
    """An archive to write, which appears under its name only when it is complete and on disk.
    Raises AlreadyExists, and Unavailable if it cannot be written. Leaves nothing behind then."""
    with new_path(path) as part:
        try:
            with closing(sqlite3.connect(part, isolation_level=None)) as connection:
                # An incomplete file may be lost. It is written to disk at the end.
                connection.execute("PRAGMA journal_mode = OFF")
                connection.execute("PRAGMA synchronous = OFF")
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.executescript(SCHEMA)
                connection.execute("BEGIN")
                yield ArchiveWriter(connection)
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise Unavailable(
                f"{path} cannot be written ({error}). Make room there, or choose another folder."
            ) from error
