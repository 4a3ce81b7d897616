"""An address under /api: what it takes and what it gives, said once beside its view.

    @page.get("/api/ratings.csv")
    @page.get("/api/ratings")
    @answers(RATINGS, query=(GAME, SEATS, limit(200), AFTER), rows="ratings")
    def as_json(game, seats, limit, after) -> dict[str, Any]: ...

The view gets the parameters by name and gives what its shape tells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from typing import Any
from urllib.parse import urlencode

from flask import Response, jsonify, request
from pydantic_core import to_jsonable_python

from dashboard.api import table
from dashboard.api.parameters import FORMAT, Parameter, read
from dashboard.api.shape import Shape, shape_of

CSV = ".csv"


class Answer:
    """A view under /api with its contract.

    `rows` names the list in the answer that is a table, and `per` a list in each of its lines
    that the CSV has a line for each element of. `refuses` are statuses beside those that the
    form of the address brings with it; `path` describes parts of the address.
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
        """Answers the present request. Raises InvalidRequest and what the view raises."""
        as_csv = is_csv(request.url_rule.rule if request.url_rule else "")
        arguments = read(self.parameters(as_csv), request.args)
        as_csv = arguments.pop("format", "json") == "csv" or as_csv
        # Not by the types of the shape: those would make 1.0 of a 1 among numbers.
        payload = to_jsonable_python(self.view(**path, **arguments))
        response = self._csv(payload) if as_csv else jsonify(payload)
        if payload.get("next"):
            response.headers["Link"] = f'<{_page_after(payload["next"])}>; rel="next"'
        return response

    def parameters(self, csv: bool) -> tuple[Parameter, ...]:
        """What its query string takes; there is a choice of format where a table is."""
        return (*self.query, FORMAT) if self.rows and not csv else self.query

    @property
    def paged(self) -> bool:
        """Whether it gives a list in pages."""
        return "next" in self.shape.fields

    def line(self) -> Shape:
        """What a line of its table is."""
        return table.element(self.shape, self.rows)

    def _csv(self, payload: Mapping[str, Any]) -> Response:
        text = table.written(payload[self.rows], self.line(), self.per)
        response = Response(text, mimetype="text/csv")
        response.headers["Content-Disposition"] = f'attachment; filename="{self.rows}.csv"'
        return response


def answers(gives: object, **contract: Any) -> Callable[[Callable[..., dict[str, Any]]], Answer]:
    """Makes a view an Answer that gives a Shape, dataclass or TypedDict; for the rest see there."""
    return lambda view: Answer(view, gives, **contract)


def answer_behind(view: object) -> Answer | None:
    """The Answer that a view is, or that stands behind a limit on how often it may be asked."""
    while view is not None and not isinstance(view, Answer):
        view = getattr(view, "__wrapped__", None)
    return view


def is_csv(address: str) -> bool:
    """Whether an address is that of a table as CSV."""
    return address.endswith(CSV)


def page_of(lines: Sequence[Any], limit: int, after: str) -> tuple[Sequence[Any], str]:
    """The lines after so many others, and what goes before the next page ("" at the end)."""
    first = int(after or 0)
    last = first + limit
    return lines[first:last], str(last) if last < len(lines) else ""


def _page_after(following: str) -> str:
    return f"{request.path}?{urlencode({**request.args, 'after': following})}"
