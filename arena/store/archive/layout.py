"""The contents of an archive file: a SQLite database, which opens anywhere and is read in place.

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
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from arena.base.errors import Unavailable
from arena.store.archive.codec import Layout

MAGIC, FORMAT = "lama-arena archive", 1
APPLICATION_ID = 0x6C616D61  # identifies an archive to `file`
BLOCK = 200  # matches
MOST = 1_000_000  # matches in a file
KEY_BYTES = 6  # of an id's digest; two ids of a file may have the same

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
