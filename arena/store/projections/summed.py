"""Database tables of sums by key, to which deals are added; shared by four projections.

A row has an owner (a game or a tournament), its key, the number of deals, and their sums: eight
bytes each, little-endian.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
from sqlalchemy import Connection, Table, bindparam, delete, select

from arena.store.dialects import upsert, write_rows
from arena.tournaments.ratings.deal_blocks import Bytes, sums_of_equal
from arena.tournaments.ratings.deal_sums import Integers

Key: TypeAlias = tuple[Any, ...]  # the columns between the owner and the deals
Packed: TypeAlias = dict[Any, tuple[int, bytes]]  # by key: deals, and sums as they are stored


def added_up(
    parts: Iterable[tuple[Bytes, Integers]],
) -> Iterator[tuple[bytes, tuple[int, bytes]]]:
    """Adds up sums (D, V) with the same key (D, bytes). Yields each key with its number of deals
    and the sums as they are stored."""
    keys, counts, sums = sums_of_equal(*map(np.concatenate, zip(*parts, strict=True)))
    for key, count, line in zip(keys, counts.tolist(), sums.astype("<i8"), strict=True):
        yield key, (count, line.tobytes())


class SummedTable:
    """A table whose columns are the owner, the key, `deals` and `sums`, in this order.

    The first `shape` columns of a key have few distinct values; rows are looked up by the column
    after them.
    """

    def __init__(self, table: Table, shape: int = 0) -> None:
        self._table, self._shape = table, shape
        self._owner, *self._key = table.c.values()[:-2]
        columns = [*self._key, table.c.deals, table.c.sums]
        self._all = select(*columns).where(self._owner == bindparam("of"))
        alike = [column == bindparam(f"at{n}") for n, column in enumerate(self._key[:shape])]
        among = self._key[shape].in_(bindparam("among", expanding=True))
        self._some = self._all.where(*alike, among)
        self.in_order = self._all.order_by(*self._key)

    def stored(self, conn: Connection, owner: object) -> Packed:
        return _packed(conn.execute(self._all, {"of": owner}))

    def add(self, conn: Connection, owner: object, new: Packed) -> None:
        """Adds deals and sums to the stored rows."""
        for key, (deals, sums) in self._load(conn, owner, new).items():
            if key in new:
                more_deals, more = new[key]
                added: Integers = np.frombuffer(sums, "<i8") + np.frombuffer(more, "<i8")
                new[key] = deals + more_deals, added.tobytes()
        self.store(conn, owner, new)

    def store(self, conn: Connection, owner: object, sums: Packed) -> None:
        """Writes rows, replacing those with the same keys."""
        rows = [(owner, *key, *line) for key, line in sums.items()]
        write_rows(conn, upsert(conn, self._table), self._table.c.keys(), rows)

    def clear(self, conn: Connection, owner: object) -> None:
        conn.execute(delete(self._table).where(self._owner == owner))

    def _load(self, conn: Connection, owner: object, keys: Collection[Key]) -> Packed:
        shapes: dict[Key, set[Any]] = defaultdict(set)
        for key in keys:
            shapes[key[: self._shape]].add(key[self._shape])
        found: Packed = {}
        for shape, among in shapes.items():
            alike = {f"at{n}": value for n, value in enumerate(shape)}
            asked = {"of": owner, "among": list(among), **alike}
            found |= _packed(conn.execute(self._some, asked))
        return found


def _packed(rows: Iterable[Any]) -> Packed:
    return {tuple(key): (deals, sums) for *key, deals, sums in rows}
