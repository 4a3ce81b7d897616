"""Archive files: the blocks of one, and which of them contain a match or a tournament; and the few
files that this process keeps open, those that were used last."""

import hashlib
import os
import sqlite3
import zlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import quote

from sqlalchemy import Connection

from arena.base.errors import Unavailable
from arena.store.archive import catalogue
from arena.store.archive.catalogue import Archive
from arena.store.archive.codec import Block
from arena.store.archive.layout import LAYOUT, Head, damaged, digest_of, key_of, tournaments_of
from arena.store.engine import store_of
from arena.store.tables import MATCH_TABLES

KEPT_BLOCKS = 32  # unpacked, of each file
KEPT_FILES = 16


class TournamentBlock(NamedTuple):
    """A block's share of a tournament: number of matches, lowest and highest position."""

    block: int
    matches: int
    first_position: int
    last_position: int


class ArchiveFile:
    """A read-only archive, safe for threads. Every method raises Unavailable for data that is not
    an archive or does not match its checksum."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._lock = Lock()
        self._blocks: OrderedDict[int, Block] = OrderedDict()
        with self._explained():
            # The file never changes, so no lock is needed, and the disk may be read-only.
            address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
            self._connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        try:
            self.head = self._read_head()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

    def __del__(self) -> None:
        # Files are dropped while others may still read from them, so they are closed here.
        if connection := getattr(self, "_connection", None):
            connection.close()

    def blocks_with(self, match: str) -> list[int]:
        """The numbers of the blocks that may contain the match with this id."""
        return [
            block for (block,) in self._ask("SELECT block FROM ids WHERE key = ?", key_of(match))
        ]

    def blocks_between(self, first: int, last: int) -> list[int]:
        """The blocks with matches numbered from `first` to `last`, in order."""
        query = "SELECT number FROM blocks WHERE last >= ? AND first <= ? ORDER BY number"
        return [block for (block,) in self._ask(query, first, last)]

    def of_tournament(self, tournament: int) -> list[TournamentBlock]:
        """The blocks with matches of a tournament, in order."""
        query = (
            "SELECT block, matches, first_position, last_position FROM tournaments "
            "WHERE tournament = ? ORDER BY block"
        )
        return [TournamentBlock(*row) for row in self._ask(query, tournament)]

    def block(self, number: int) -> Block:
        """One block."""
        with self._lock:
            if number in self._blocks:
                self._blocks.move_to_end(number)
                return self._blocks[number]
        found = self._read_block(number)
        with self._lock:
            self._blocks[number] = found
            while len(self._blocks) > KEPT_BLOCKS:
                self._blocks.popitem(last=False)
        return found

    def each_block(self) -> Iterator[Block]:
        """All blocks, in the order of the matches' numbers; one in memory at a time."""
        for (number,) in self._ask("SELECT number FROM blocks ORDER BY number"):
            yield self._read_block(number)

    def check(self) -> None:
        """Reads the whole file and compares its data with its checksums, counts and indexes."""
        digests = [each for (each,) in self._ask("SELECT sha256 FROM blocks ORDER BY number")]
        fields = dict(self._ask("SELECT name, value FROM head"))
        said = fields.pop("sha256")
        self._demand(said == digest_of(fields, digests), "its checksum is wrong")
        counts, keys = dict.fromkeys(LAYOUT, 0), set()
        bounds: list[int] = []
        lines: list[tuple[int, ...]] = []
        for number, block in enumerate(self.each_block()):
            rows = self.rows(block, "matches")
            counts = {table: counts[table] + block.rows[table] for table in counts}
            numbers = [row[0] for row in rows]
            self._demand(
                self._ask("SELECT first, last, matches FROM blocks WHERE number = ?", number)
                == [(numbers[0], numbers[-1], len(numbers))],
                f"block {number} does not match its index",
            )
            bounds += numbers
            lines += tournaments_of(rows, number)
            keys |= {(key_of(row[1]), number) for row in rows}
        head, want = self.head, sorted(set(bounds))
        self._demand(bounds == want, "its matches are not in order")
        self._demand((want[0], want[-1]) == (head.first, head.last), "its bounds are wrong")
        expected = (head.matches, head.seats, head.notes)
        self._demand(tuple(counts.values()) == expected, "its counts are wrong")
        indexed = self._ask("SELECT * FROM tournaments ORDER BY tournament, block")
        self._demand(indexed == sorted(lines), "its index of tournaments is wrong")
        of_ids = self._ask("SELECT key, block FROM ids ORDER BY key, block")
        self._demand(of_ids == sorted(keys), "its index of ids is wrong")

    def rows(self, block: Block, table: str) -> list[tuple[Any, ...]]:
        """The rows of a table in a block, with the table's current columns."""
        with self._explained():
            return block.tuples(table, [name for name, _ in LAYOUT[table]])

    def _read_head(self) -> Head:
        with self._explained():
            head = Head.of(
                {n: v for n, v in self._ask("SELECT name, value FROM head") if n != "sha256"}
            )
            for table in MATCH_TABLES:
                if {*head.columns[table.name]} != {*LAYOUT[table.name]}:
                    raise ValueError(f"{table.name} has other columns than in this release")
        return head

    def _read_block(self, number: int) -> Block:
        found = self._ask("SELECT sha256, block FROM blocks WHERE number = ?", number)
        self._demand(bool(found), f"block {number} is missing")
        digest, packed = found[0]
        self._demand(
            hashlib.sha256(packed).digest() == digest, f"the checksum of block {number} is wrong"
        )
        with self._explained():
            return Block(self.head.columns, packed)

    def _ask(self, query: str, *values: object) -> Sequence[Any]:
        with self._explained(), self._lock:
            return self._connection.execute(query, values).fetchall()

    def _demand(self, holds: bool, otherwise: str) -> None:
        if not holds:
            raise damaged(self.name, otherwise)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, zlib.error, ValueError, KeyError, TypeError, IndexError) as error:
            raise damaged(self.name, error) from error


_open: OrderedDict[tuple[int, Path], ArchiveFile] = OrderedDict()  # by process: forks open theirs
_using = Lock()


def folder_of(conn: Connection) -> Path:
    """The folder of the archives."""
    return store_of(conn).archive


def path_of(conn: Connection, archive: Archive) -> Path:
    """The path of an archive."""
    return folder_of(conn) / archive.name


def is_there(conn: Connection, archive: Archive) -> bool:
    """Whether the file exists and can be read."""
    return os.access(path_of(conn, archive), os.R_OK)


def opened(conn: Connection, archive: Archive) -> ArchiveFile:
    """The file of an archive. Raises Unavailable if it is missing, damaged or another one."""
    path = path_of(conn, archive).absolute()
    key = os.getpid(), path
    if not is_there(conn, archive):  # even if it is still open, so that the loss is noticed at once
        raise missing(conn, archive)
    with _using:
        if key in _open:
            _open.move_to_end(key)
            return _open[key]
    found = ArchiveFile(path)
    head = found.head
    if (head.first, head.last, head.matches) != (archive.first, archive.last, archive.matches):
        found.close()
        raise damaged(archive.name, "its matches are not those listed in the database")
    with _using:
        _open[key] = found
        while len(_open) > KEPT_FILES:  # each is closed after its last use
            _open.popitem(last=False)
    return found


def check_there(conn: Connection, tournament: int) -> None:
    """Opens all archives with matches of a tournament. Raises Unavailable if one is missing or
    damaged."""
    for archive in catalogue.of_tournament(conn, tournament):
        opened(conn, archive)


def forget(path: Path) -> None:
    """Makes the next use open the file at a path again."""
    with _using:
        _open.pop((os.getpid(), path.absolute()), None)


def missing(conn: Connection, archive: Archive, what: str = "Matches are in") -> Unavailable:
    """The error for a missing file."""
    return Unavailable(
        f"{what} the archive {archive.name}, which is not in {folder_of(conn)} or cannot be "
        "read. Put it or a copy there, or set ARENA_ARCHIVE to its folder.",
        f"{what} the archive {archive.name}, which is missing. Ask the arena's operator for it.",
    )
