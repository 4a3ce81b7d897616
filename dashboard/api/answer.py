"""API views, which declare their parameters and their response.

    @page.get("/api/ratings.csv")
    @page.get("/api/ratings")
    @answers(RATINGS, query=(GAME, SEATS, limit(200), AFTER), rows="ratings")
    def as_json(game, seats, limit, after) -> dict[str, Any]: ...

The view gets the parameters by name and returns the object described by its shape. A list in the
response is a table if it is also available as CSV.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import update_wrapper
from typing import Any
from urllib.parse import urlencode

from flask import Response, jsonify, request
from pydantic_core import to_jsonable_python

from arena.base.text import Cell, cell
from dashboard.api.parameters import FORMAT, Parameter, read
from dashboard.api.shape import Many, Shape, as_shape, shape_of

CSV = ".csv"


class Answer:
    """An API view with its parameters and its response.

    `rows` names the list in the response that is a table. `per` names a list in each of its rows;
    the CSV then has a line for each element. `refuses` are error statuses in addition to the
    standard ones. `path` describes parts of the URL.
    """

    def __init__(
        self,
        view: Callable[..., Any],
        gives: object,
        *,
        query: Sequence[Parameter] = (),
        rows: str = "",
        per: str = "",
        refuses: Sequence[int] = (),
        path: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        update_wrapper(self, view)
        self.view, self.shape, self.query = view, shape_of(gives), tuple(query)
        self.rows, self.per, self.refuses, self.path = rows, per, refuses, path or {}

    def __call__(self, **path: Any) -> Response:
        """Answer the current request. Raises InvalidRequest and the errors of the view."""
        as_csv = is_csv(request.url_rule.rule if request.url_rule else "")
        arguments = read(self.parameters(as_csv), request.args)
        as_csv = arguments.pop("format", "json") == "csv" or as_csv
        # Not with the types of the shape, which would turn 1 into 1.0.
        payload = to_jsonable_python(self.view(**path, **arguments))
        response = self._csv(payload) if as_csv else jsonify(payload)
        if payload.get("next"):
            query = urlencode({**request.args, "after": payload["next"]})
            response.headers["Link"] = f'<{request.path}?{query}>; rel="next"'
        return response

    def parameters(self, csv: bool) -> tuple[Parameter, ...]:
        """Return the query parameters; tables also have `format`."""
        return (*self.query, FORMAT) if self.rows and not csv else self.query

    @property
    def paged(self) -> bool:
        return "next" in self.shape.fields

    def line(self) -> Shape:
        return element(self.shape, self.rows)

    def _csv(self, payload: Mapping[str, Any]) -> Response:
        text = written(payload[self.rows], self.line(), self.per)
        response = Response(text, mimetype="text/csv")
        response.headers["Content-Disposition"] = f'attachment; filename="{self.rows}.csv"'
        return response


def answers(gives: object, **contract: Any) -> Callable[[Callable[..., dict[str, Any]]], Answer]:
    """Turn a view into an Answer that returns a Shape, dataclass or TypedDict, see `Answer`."""
    return lambda view: Answer(view, gives, **contract)


def answer_behind(view: object) -> Answer | None:
    """Return the view's Answer, even if wrapped in a rate limit; None if it does not have one."""
    while view is not None and not isinstance(view, Answer):
        view = getattr(view, "__wrapped__", None)
    return view


def is_csv(address: str) -> bool:
    return address.endswith(CSV)


def page_of(lines: Sequence[Any], limit: int, after: str) -> tuple[Sequence[Any], str]:
    """Return a page of lines, and the `after` of the next page ("" at the end)."""
    first = int(after or 0)
    last = first + limit
    return lines[first:last], str(last) if last < len(lines) else ""


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
