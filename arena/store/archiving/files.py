"""Writes the files of a month, and reads them back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from sqlalchemy import Connection, select

from arena.base.errors import Unavailable
from arena.store.archive.file import ArchiveFile
from arena.store.archive.layout import damaged
from arena.store.archive.open_files import forget
from arena.store.archive.writing import new_archive
from arena.store.archiving import rows
from arena.store.matches import months
from arena.store.migrate import HEAD
from arena.store.tables import MATCH_TABLES, matches

READ = 1 << 20  # bytes at a time

Tell = Callable[[str], None]


@dataclass(frozen=True)
class SavedFile:
    """A file that was written and compared: its name, the numbers of its first and last match, the
    number of matches, SHA-256 digest and size in bytes."""

    name: str
    first: int
    last: int
    matches: int
    digest: bytes
    size: int


def make_folder(folder: Path) -> None:
    """Creates the folder of the archives if necessary. Raises Unavailable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(
            f"The folder {folder} of the archives cannot be created ({error.strerror}). Set "
            "ARENA_ARCHIVE to another one."
        ) from None


def write_files(
    conn: Connection, folder: Path, month: int, most: int, tell: Tell
) -> Iterator[SavedFile]:
    """Writes all matches of a month to files of up to `most` matches, and compares each file with
    the database. Raises Unavailable."""
    last = months.bounds(month)[1]
    after = months.first(month) - 1
    for part in count(1):
        query = select(matches.c.number).where(matches.c.number.between(after + 1, last)).limit(1)
        if conn.scalar(query) is None:
            return
        saved = _file(conn, folder, month, part, after, most)
        after = saved.last
        each = saved.size / saved.matches
        tell(f"{saved.name}: {saved.matches:,} matches of {each:,.0f} bytes, written and verified")
        yield saved


def _file(
    conn: Connection, folder: Path, month: int, part: int, after: int, most: int
) -> SavedFile:
    """Writes and compares a file, or reuses the file of an interrupted save."""
    for again in count():
        suffix = f"-{again}" if again else ""
        path = folder / f"matches-{months.name(month)}-{part}{suffix}.sqlite"
        if not path.exists():
            with new_archive(path) as archive:
                for block in rows.blocks(conn, month, after, most):
                    archive.add_block(block)
                archive.finish(HEAD, months.name(month))
            return _compared(conn, path, after)
        try:
            return _compared(conn, path, after)
        except Unavailable:
            continue  # a foreign file, or one of rows that have changed since: it is kept
    raise AssertionError("unreachable")


def _compared(conn: Connection, path: Path, after: int) -> SavedFile:
    """Compares a file with the matches after a number. Raises Unavailable if they differ."""
    forget(path)
    file = ArchiveFile(path)
    try:
        file.check()
        expected = after
        for block in file.each_block():
            numbers = block.array("matches", "number")
            first, last = int(numbers[0]), int(numbers[-1])
            stored = rows.between(conn, expected + 1, last)
            if [file.rows(block, table.name) for table in MATCH_TABLES] != stored:
                raise damaged(path.name, f"matches {first} to {last} differ from the database")
            expected = last
        head = file.head
        return SavedFile(
            path.name, head.first, head.last, head.matches, digest(path), path.stat().st_size
        )
    finally:
        file.close()


def digest(path: Path) -> bytes:
    """SHA-256 of a file."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(READ):
            found.update(part)
    return found.digest()
