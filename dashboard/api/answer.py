"""API views, which declare their parameters and their response.

    @page.get("/api/ratings.csv")
    @page.get("/api/ratings")
    @answers(RATINGS, query=(GAME, SEATS, limit(200), AFTER), rows="ratings")
    def as_json(game, seats, limit, after) -> dict[str, Any]: ...

The view gets the parameters by name and returns the object described by its shape.
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
            response.headers["Link"] = f'<{_page_after(payload["next"])}>; rel="next"'
        return response

    def parameters(self, csv: bool) -> tuple[Parameter, ...]:
        """Return the query parameters; tables also have `format`."""
        return (*self.query, FORMAT) if self.rows and not csv else self.query

    @property
    def paged(self) -> bool:
        """Whether the response is paginated."""
        return "next" in self.shape.fields

    def line(self) -> Shape:
        """Return the shape of a row of its table."""
        return table.element(self.shape, self.rows)

    def _csv(self, payload: Mapping[str, Any]) -> Response:
        text = table.written(payload[self.rows], self.line(), self.per)
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
    """Whether a URL is a table as CSV."""
    return address.endswith(CSV)


def page_of(lines: Sequence[Any], limit: int, after: str) -> tuple[Sequence[Any], str]:
    """Return a page of lines, and the `after` of the next page ("" at the end)."""
    first = int(after or 0)
    last = first + limit
    return lines[first:last], str(last) if last < len(lines) else ""


def _page_after(following: str) -> str:
    return f"{request.path}?{urlencode({**request.args, 'after': following})}"
