"""What is in an archive file: a SQLite database, which opens anywhere and is read in place.

    head         name, value: format, release, schema version, counts, columns, a SHA-256 over all
    blocks       number, first and last match number, matches, SHA-256, and the block: up to 200
                 matches with their seats and fault notes, every column as it was stored
                 (`arena.store.archive.codec`)
    ids          the first six bytes of the SHA-256 of a match's id, and the block that has it
    tournaments  by tournament and block: how many matches, lowest and highest position and deal

A match of four seats with a log of 180 bytes costs 303 bytes there, 15 of them for its id in the
index, where PostgreSQL takes 1.3 kB. Most of the others are what follows from nothing: the log, the
seed, the id, when it began and ended, and the Elo of each seat.
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
APPLICATION_ID = 0x6C616D61  # tells `file` what it is
BLOCK = 200  # matches
MOST = 1_000_000  # matches in a file
KEY_BYTES = 6  # of an id's digest: two ids of a file have the same now and then, which is allowed

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
    """What an archive says of itself: the schema's version and the release that wrote it, the month
    (as people write it), what it holds, the numbers of its first and last match, when it was made
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
        """As they are stored."""
        said = {"arena": MAGIC, "format": FORMAT, **asdict(self)}
        return {name: json.dumps(value) for name, value in said.items()}

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> Head:
        """From what is stored. Raises ValueError, KeyError or TypeError for what is no archive."""
        said: dict[str, Any] = {name: json.loads(value) for name, value in fields.items()}
        if (said.pop("arena"), said.pop("format")) != (MAGIC, FORMAT):
            raise ValueError("it is of another format")
        columns = said.pop("columns")
        layout = {table: [(name, kind) for name, kind in each] for table, each in columns.items()}
        return cls(columns=layout, **said)


def digest_of(fields: Mapping[str, str], blocks: Iterable[bytes]) -> str:
    """SHA-256 over the head and the digests of all blocks, in hexadecimal."""
    digest = hashlib.sha256(json.dumps(dict(sorted(fields.items()))).encode())
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()


def key_of(match: str) -> int:
    """What the index has of a match's id."""
    digest = hashlib.sha256(match.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:KEY_BYTES], "big", signed=True)


def damaged(name: str, reason: object) -> Unavailable:
    """What to say of a file that cannot be used."""
    said = " ".join(str(reason).split()).rstrip(".")
    return Unavailable(
        f"The archive {name} is damaged, or none ({said}): put a copy of it in its place."
    )
