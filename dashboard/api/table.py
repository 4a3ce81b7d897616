"""Lists as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from arena.base.spreadsheet import Cell, cell
from dashboard.api.shape import Many, Shape, as_shape


def columns(shape: Shape, per: str = "") -> list[str]:
    """Return the columns of a list of objects; fields of nested objects have dotted names.

    With `per`, the name of a list in each object, each of its elements has a line. Its fields come
    after a column with its number: "seat" for "seats".
    """
    own = [name for field in shape.fields if field != per for name in _within(shape, field)]
    if not per:
        return own
    return [*own, _numbered(per), *element(shape, per).fields]


def written(rows: Iterable[Mapping[str, Any]], shape: Shape, per: str = "") -> str:
    """Return objects as CSV (RFC 4180) with a header, safe for spreadsheets."""
    out = io.StringIO(newline="")
    names = columns(shape, per)
    writer = csv.writer(out)
    writer.writerow(names)
    for line in _lines(rows, per):
        writer.writerow([cell(_text(_at(line, name))) for name in names])
    return out.getvalue()


def element(shape: Shape, name: str) -> Shape:
    """Return the shape of the elements of a list."""
    kind = shape.fields[name]
    inner = kind.of if isinstance(kind, Many) else as_shape(getattr(kind, "__args__", (None,))[0])
    if inner is None:
        raise TypeError(f"{shape.name} has no list of objects {name}.")
    return inner


def _within(shape: Shape, field: str) -> list[str]:
    inner = as_shape(shape.fields[field])
    return [f"{field}.{name}" for name in columns(inner)] if inner else [field]


def _lines(rows: Iterable[Mapping[str, Any]], per: str) -> Iterator[Mapping[str, Any]]:
    if not per:
        yield from rows
        return
    for row in rows:
        for number, part in enumerate(row[per]):
            yield {**row, _numbered(per): number, **part}


def _numbered(per: str) -> str:
    return per.removesuffix("s")


def _at(line: Mapping[str, Any], name: str) -> Any:
    """Return the value of a column; None if the object does not have it."""
    value: Any = line
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _text(value: Any) -> Cell:
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, Sequence) and all(isinstance(each, str | int) for each in value):
        return " ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False)
