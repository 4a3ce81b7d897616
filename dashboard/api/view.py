"""The index of the API, its OpenAPI document, and its page."""

import json
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, current_app, render_template, request, url_for
from werkzeug.routing import BuildError

from dashboard.api.answer import CSV, answer_behind, answers, is_csv
from dashboard.api.document import Schema, address, document, routes
from dashboard.api.shape import Many, Shape, documentation

page = Blueprint("api", __name__)

# Pages whose API endpoint is not their blueprint's `as_json`.
ELSEWHERE = {
    "tournament.crosstable": "tournament.crosstable_as_json",
    "status.show": "health.as_json",
}

ADDRESS = Shape(
    "Address", about="An address and what it returns.", more={"path": str, "gives": str}
)
INDEX = Shape(
    "Index",
    about="All addresses, and the address of the OpenAPI document.",
    more={"name": str, "openapi": str, "answers": Many(ADDRESS)},
)
DOCUMENT = Shape(
    "Document",
    about="An OpenAPI 3.1 document.",
    more={"openapi": str, "info": dict, "servers": list[object], "paths": dict, "components": dict},
)


@page.app_template_global()
def json_address(**more: Any) -> str:
    """Return the address of the current page as JSON, or "" if it has none.

    It has those parameters of the page that the JSON supports, and `more`.
    """
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


@page.get("/api")
@answers(INDEX)
def index() -> dict[str, Any]:
    """All addresses of the API, with descriptions."""
    listed = [
        ADDRESS.tell(
            path=address(rule),
            gives=documentation(current_app.view_functions[rule.endpoint]).replace("\n\n", " "),
        )
        for rule in routes(current_app)
        if not is_csv(rule.rule)
    ]
    return INDEX.tell(name="lama-arena", openapi="/api/openapi.json", answers=listed)


@page.get("/api/openapi.json")
@answers(DOCUMENT)
def openapi() -> dict[str, Any]:
    """The OpenAPI document of this API, to generate clients or tests."""
    return DOCUMENT.tell(**document(current_app))


@page.get("/json")
def about() -> str:
    spec = document(current_app)
    return render_template("api/page.html", document=spec, addresses=endpoint_docs(spec))


def endpoint_docs(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the operation of every address that answers with JSON, for its section of /json. `csv`
    is its address as CSV, or "", and `statuses` are those of errors with their descriptions."""
    paths, responses = document["paths"], document["components"]["responses"]
    return [
        {
            **item["get"],
            "path": path,
            "csv": path + CSV if path + CSV in paths else "",
            "example": _example(item["get"]["responses"]["200"]),
            "statuses": [
                (status, responses[response["$ref"].rpartition("/")[2]]["description"])
                for status, response in item["get"]["responses"].items()
                if "$ref" in response and status < "500"
            ],
        }
        for path, item in paths.items()
        if not is_csv(path)
    ]


@page.app_template_filter()
def form(schema: Schema) -> str:
    if "enum" in schema:
        return ", ".join(map(usual, schema["enum"]))
    if schema.get("type") == "integer":
        return f"{schema.get('minimum', '')} to {schema.get('maximum', '')}"
    return str(schema.get("description") or schema.get("pattern", "text"))


@page.app_template_filter()
def usual(value: object) -> str:
    """Return a value as written in a URL; "" for None."""
    return "" if value is None else json.dumps(value).strip('"')


def _example(response: Mapping[str, Any]) -> str:
    shown = response["content"]["application/json"]["example"]
    return json.dumps(shown, indent=2, ensure_ascii=False)
