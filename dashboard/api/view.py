"""What there is under /api. The answers themselves stand with the pages that show the same."""

from __future__ import annotations

import re

from flask import Blueprint, Response, current_app, jsonify, render_template

page = Blueprint("api", __name__)

PLACEHOLDER = re.compile(r"<(?:\w+:)?(\w+)>")


@page.get("/api")
def index() -> Response:
    """The addresses of all JSON answers, with what they give."""
    return jsonify(name="lama-arena", answers=answers())


@page.get("/json")
def about() -> str:
    """The same for people."""
    return render_template("api/page.html", answers=answers())


def answers() -> list[dict[str, str]]:
    """Each answer's address, with {name} where something is to be filled in, and what it gives."""
    return [
        {"path": PLACEHOLDER.sub(r"{\1}", rule.rule), "gives": _sentence(rule.endpoint)}
        for rule in current_app.url_map.iter_rules()
        if rule.rule.startswith("/api/")
    ]


def _sentence(endpoint: str) -> str:
    return " ".join((current_app.view_functions[endpoint].__doc__ or "").split())
