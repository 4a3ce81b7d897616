"""A list of the answers as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from arena.base.spreadsheet import Cell, cell
from dashboard.api.shape import Many, Shape, as_shape


def columns(shape: Shape, per: str = "") -> list[str]:
    """The columns of a list of such objects; a field within an object has a dotted name.

    With `per`, the name of a list in each object, there is a line for each of its elements,
    whose own fields follow on their number: per "seats" there is a "seat".
    """
    own = [name for field in shape.fields if field != per for name in _within(shape, field)]
    if not per:
        return own
    return [*own, _numbered(per), *element(shape, per).fields]


def written(rows: Iterable[Mapping[str, Any]], shape: Shape, per: str = "") -> str:
    """Such objects as CSV (RFC 4180) with a line of headings, safe for spreadsheets."""
    out = io.StringIO(newline="")
    names = columns(shape, per)
    writer = csv.writer(out)
    writer.writerow(names)
    for line in _lines(rows, per):
        writer.writerow([cell(_text(_at(line, name))) for name in names])
    return out.getvalue()


def element(shape: Shape, name: str) -> Shape:
    """The shape of the elements of a list."""
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
    """The value of a column; None where the object lacks it."""
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
