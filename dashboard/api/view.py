"""What there is under /api. The answers themselves stand with the pages that show the same."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, current_app, render_template

from dashboard.api.answer import answers, is_csv
from dashboard.api.document import address, document, routes
from dashboard.api.endpoint_docs import endpoint_docs, form, usual
from dashboard.api.of_page import json_address
from dashboard.api.shape import Many, Shape, documentation

page = Blueprint("api", __name__)
page.add_app_template_filter(form)
page.add_app_template_filter(usual)
page.add_app_template_global(json_address)

ADDRESS = Shape(
    "Address", about="An address under /api and what it gives.", more={"path": str, "gives": str}
)
INDEX = Shape(
    "Index",
    about="All addresses, and that of the OpenAPI document.",
    more={"name": str, "openapi": str, "answers": Many(ADDRESS)},
)
DOCUMENT = Shape(
    "Document",
    about="An OpenAPI 3.1 document.",
    more={"openapi": str, "info": dict, "servers": list[object], "paths": dict, "components": dict},
)


@page.get("/api")
@answers(INDEX)
def index() -> dict[str, Any]:
    """The addresses of all JSON answers, with what they give."""
    listed = [
        ADDRESS.tell(path=address(rule), gives=_gives(rule.endpoint))
        for rule in routes(current_app)
        if not is_csv(rule.rule)
    ]
    return INDEX.tell(name="lama-arena", openapi="/api/openapi.json", answers=listed)


@page.get("/api/openapi.json")
@answers(DOCUMENT)
def openapi() -> dict[str, Any]:
    """This interface as an OpenAPI document, for programs that write clients or tests."""
    return DOCUMENT.tell(**document(current_app))


@page.get("/json")
def about() -> str:
    """The same for people."""
    spec = document(current_app)
    return render_template("api/page.html", document=spec, addresses=endpoint_docs(spec))


def _gives(endpoint: str) -> str:
    return documentation(current_app.view_functions[endpoint]).replace("\n\n", " ")
