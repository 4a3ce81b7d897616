"""Where a page's own content is to be had as JSON, and its tables as CSV."""

from __future__ import annotations

from typing import Any

from flask import current_app, request, url_for
from werkzeug.routing import BuildError

from dashboard.api.answer import answer_behind

# Pages whose answer has another name than theirs with `as_json` in place of the last part.
ELSEWHERE = {
    "tournament.crosstable": "tournament.crosstable_as_json",
    "status.show": "health.as_json",
}


def json_address(**more: Any) -> str:
    """The address of the present page as JSON, with whatever it was asked for that the JSON can be
    asked for, too, and with `more`; "" where there is none."""
    endpoint = request.endpoint or ""
    blueprint = endpoint.partition(".")[0]
    wanted = f"{blueprint}.as_json" if endpoint == f"{blueprint}.show" else ""
    name = ELSEWHERE.get(endpoint, wanted)
    answer = answer_behind(current_app.view_functions.get(name))
    if answer is None:
        return ""
    known = {parameter.name for parameter in answer.query}
    asked: dict[str, Any] = {
        key: value for key, value in request.args.items() if key in known and value
    }
    try:
        return url_for(name, **(request.view_args or {}), **asked, **more)
    except BuildError:
        return ""
