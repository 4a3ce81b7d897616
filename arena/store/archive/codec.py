"""A block: rows of several tables, column by column, compressed by zlib.

For each table: the number of rows (four bytes), then for each column its length in bytes (four) and
its data: a byte of flags, with SOME_NULL a bit for each row, and the values. Integers and doubles
have eight bytes each; the lowest bytes of all come first, then the next ones. Integers that never
decrease are stored as differences (DIFFERENCES). Texts and bytes are their lengths, stored like
integers, and all of them joined. Null is stored as 0 or empty. Everything is little-endian.
"""

import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Boolean, Column, Double, LargeBinary, Table, Text

Kind = Literal["int", "bool", "float", "text", "bytes"]
Layout = Mapping[str, Sequence[tuple[str, Kind]]]  # by table, its columns in order
Numbers = NDArray[Any]

SOME_NULL, DIFFERENCES = 1, 2
LEVEL = 9
EMPTY: dict[Kind, Any] = {"int": 0, "bool": False, "float": 0.0, "text": "", "bytes": b""}


def layout_of(tables: Sequence[Table]) -> dict[str, list[tuple[str, Kind]]]:
    """The columns of these tables in this release."""
    return {table.name: [(each.name, kind_of(each)) for each in table.c] for table in tables}


def kind_of(column: Column[Any]) -> Kind:
    """The storage type of a column."""
    kinds: list[tuple[type, Kind]] = [
        (LargeBinary, "bytes"), (Text, "text"), (Double, "float"), (Boolean, "bool")
    ]  # fmt: skip
    return next((name for kind, name in kinds if isinstance(column.type, kind)), "int")


def pack(layout: Layout, rows: Mapping[str, Sequence[Sequence[Any]]]) -> bytes:
    """Packs rows into a block; by table, with values in the order of its columns."""
    parts: list[bytes] = []
    for table, columns in layout.items():
        parts.append(len(rows[table]).to_bytes(4, "little"))
        for place, (_, kind) in enumerate(columns):
            packed = _pack_column(kind, [row[place] for row in rows[table]])
            parts += [len(packed).to_bytes(4, "little"), packed]
    return zlib.compress(b"".join(parts), LEVEL)


class Block:
    """The rows of a block; columns are unpacked on demand. Raises ValueError or zlib.error if the
    bytes are not a block."""

    def __init__(self, layout: Layout, packed: bytes) -> None:
        self.rows: dict[str, int] = {}
        self._columns: dict[tuple[str, str], tuple[Kind, bytes]] = {}
        raw, at = zlib.decompress(packed), 0
        for table, columns in layout.items():
            self.rows[table] = int.from_bytes(raw[at : at + 4], "little")
            at += 4
            for name, kind in columns:
                length = int.from_bytes(raw[at : at + 4], "little")
                self._columns[table, name] = kind, raw[at + 4 : at + 4 + length]
                at += 4 + length
        if at != len(raw):
            raise ValueError("a block has another length than its columns")

    def array(self, table: str, column: str, missing: float = 0) -> Numbers:
        """The numbers of a column, with `missing` for null."""
        kind, packed = self._columns[table, column]
        numbers, null, _ = _numbers(kind, packed, self.rows[table])
        if null is not None:
            numbers[null] = missing
        return numbers

    def values(self, table: str, column: str) -> list[Any]:
        """The values of a column, as they come from the database."""
        kind, packed = self._columns[table, column]
        numbers, null, rest = _numbers(kind, packed, self.rows[table])
        values: list[Any] = numbers.tolist()
        if kind in ("text", "bytes"):
            values = _cut(rest, values)
            if kind == "text":
                values = [value.decode() for value in values]
        if null is not None:
            for place in np.flatnonzero(null).tolist():
                values[place] = None
        return values

    def tuples(self, table: str, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """The rows of a table, with these columns."""
        return list(zip(*(self.values(table, name) for name in columns), strict=True))


def _pack_column(kind: Kind, values: Sequence[Any]) -> bytes:
    null = np.array([value is None for value in values], dtype=np.bool_)
    mask = b""
    if null.any():
        mask = np.packbits(null).tobytes()
        values = [EMPTY[kind] if value is None else value for value in values]
    rest = b""
    if kind in ("text", "bytes"):
        each = [value.encode() if kind == "text" else bytes(value) for value in values]
        values, rest = [len(value) for value in each], b"".join(each)
    numbers = np.array(values, dtype="<f8" if kind == "float" else "<i8")
    flags = SOME_NULL if mask else 0
    if kind == "int" and len(numbers) > 1 and (np.diff(numbers) >= 0).all():
        flags |= DIFFERENCES
        numbers = np.diff(numbers, prepend=np.zeros(1, "<i8"))
    planes = numbers.view(np.uint8).reshape(-1, 8).T.tobytes()
    return bytes([flags]) + mask + planes + rest


def _numbers(kind: Kind, packed: bytes, count: int) -> tuple[Numbers, Numbers | None, bytes]:
    """The numbers of a column (lengths for texts), a mask of nulls, and the rest of the data."""
    flags, at, null = packed[0], 1, None
    if flags & SOME_NULL:
        end = at + -(-count // 8)
        bits = np.frombuffer(packed[at:end], np.uint8)
        null, at = np.unpackbits(bits, count=count).astype(np.bool_), end
    end = at + 8 * count
    planes = np.frombuffer(packed[at:end], np.uint8).reshape(8, count)
    raw = np.ascontiguousarray(planes.T).reshape(-1)
    numbers: Numbers = raw.view("<f8" if kind == "float" else "<i8").copy()
    if flags & DIFFERENCES:
        numbers = np.cumsum(numbers)
    return (numbers.astype(np.bool_) if kind == "bool" else numbers), null, packed[end:]


def _cut(joined: bytes, lengths: Sequence[int]) -> list[bytes]:
    values, at = [], 0
    for length in lengths:
        values.append(joined[at : at + length])
        at += length
    if at != len(joined):
        raise ValueError("texts have another length than their lengths add up to")
    return values
