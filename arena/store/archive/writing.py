"""Writes a new archive file."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from arena import __version__
from arena.base import instant
from arena.base.errors import Unavailable
from arena.store.archive.codec import layout_of, pack
from arena.store.archive.layout import APPLICATION_ID, SCHEMA, Head, digest_of, key_of
from arena.store.files import new_path
from arena.store.tables import MATCH_TABLES, matches

LAYOUT = layout_of(MATCH_TABLES)
Rows = Sequence[Sequence[Any]]
_PLACE = {name: place for place, name in enumerate(matches.c.keys())}


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

    Raises AlreadyExists, and Unavailable if it cannot be written. Leaves nothing behind then.
    """
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
