"""An archive file that is open: its blocks, and which of them have a match or a tournament."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import quote

from arena.store.archive.codec import Block
from arena.store.archive.layout import Head, damaged, digest_of, key_of
from arena.store.archive.writing import LAYOUT, tournaments_of
from arena.store.tables import MATCH_TABLES

KEPT = 32  # blocks that are unpacked


class TournamentBlock(NamedTuple):
    """What a block has of a tournament: how many matches, lowest and highest position and deal."""

    block: int
    matches: int
    first_position: int
    last_position: int
    first_deal: int
    last_deal: int


class ArchiveFile:
    """An archive, read only, for as many threads as like.

    Whatever of it is read and does not fit its checksum, or is no archive, raises Unavailable.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._lock = Lock()
        self._blocks: OrderedDict[int, Block] = OrderedDict()
        with self._explained():
            # Nobody changes it: so no lock of it is taken, and it may be on a read-only disk.
            address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
            self._connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        try:
            self.head = self._read_head()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes it."""
        self._connection.close()

    def __del__(self) -> None:
        # Files that are not kept open any more are closed when nobody reads from them.
        if connection := getattr(self, "_connection", None):
            connection.close()

    def blocks_with(self, match: str) -> list[int]:
        """The numbers of the blocks that may have the match with this id."""
        return [
            block for (block,) in self._ask("SELECT block FROM ids WHERE key = ?", key_of(match))
        ]

    def blocks_between(self, first: int, last: int) -> list[int]:
        """The blocks that have matches with numbers from `first` to `last`, in order."""
        query = "SELECT number FROM blocks WHERE last >= ? AND first <= ? ORDER BY number"
        return [block for (block,) in self._ask(query, first, last)]

    def of_tournament(self, tournament: int) -> list[TournamentBlock]:
        """The blocks that have matches of a tournament, in order."""
        query = (
            "SELECT block, matches, first_position, last_position, first_deal, last_deal "
            "FROM tournaments WHERE tournament = ? ORDER BY block"
        )
        return [TournamentBlock(*row) for row in self._ask(query, tournament)]

    def block(self, number: int) -> Block:
        """One of its blocks."""
        with self._lock:
            if number in self._blocks:
                self._blocks.move_to_end(number)
                return self._blocks[number]
        found = self._read_block(number)
        with self._lock:
            self._blocks[number] = found
            while len(self._blocks) > KEPT:
                self._blocks.popitem(last=False)
        return found

    def each_block(self) -> Iterator[Block]:
        """All of them, in the order of the matches' numbers; one in memory at a time."""
        for (number,) in self._ask("SELECT number FROM blocks ORDER BY number"):
            yield self._read_block(number)

    def check(self) -> None:
        """Reads it through and compares everything it says with what it holds."""
        digests = [each for (each,) in self._ask("SELECT sha256 FROM blocks ORDER BY number")]
        fields = dict(self._ask("SELECT name, value FROM head"))
        said = fields.pop("sha256")
        self._demand(said == digest_of(fields, digests), "its checksum does not fit")
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
                f"block {number} is not what it says",
            )
            bounds += numbers
            lines += tournaments_of(rows, number)
            keys |= {(key_of(row[1]), number) for row in rows}
        head, want = self.head, sorted(set(bounds))
        self._demand(bounds == want, "its matches are not in order")
        self._demand((want[0], want[-1]) == (head.first, head.last), "its bounds do not fit")
        expected = (head.matches, head.seats, head.notes)
        self._demand(tuple(counts.values()) == expected, "its counts do not fit")
        indexed = self._ask("SELECT * FROM tournaments ORDER BY tournament, block")
        self._demand(indexed == sorted(lines), "its index of tournaments does not fit")
        of_ids = self._ask("SELECT key, block FROM ids ORDER BY key, block")
        self._demand(of_ids == sorted(keys), "its index of ids does not fit")

    def rows(self, block: Block, table: str) -> list[tuple[Any, ...]]:
        """The rows of a block of one of the tables, with the columns that the table has today."""
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
            hashlib.sha256(packed).digest() == digest, f"block {number} does not fit its checksum"
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
