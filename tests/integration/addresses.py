"""Addresses of the dashboard for tests that walk through all of them."""

import re

from werkzeug.routing import Rule

from dashboard.sdk.wheel import PROJECT, STEM

# What the variable parts may be, whatever is in the database.
FILLED = {
    "code": "0" * 20,
    "day": "2026-11-28",
    "entry": "bots",
    "filename": "arena.css",
    "game": "lama",
    "language": "python",
    "number": "1",
    "post": "1",
    "project": PROJECT,
    "proto": "play",
    "provider": "github",
    "wheel": STEM,
}


def address(rule: Rule, **parts: str) -> str:
    """The address of a route, with these parts and FILLED."""
    filled = FILLED | parts
    return re.sub(r"<(?:\w+:)?(\w+)>", lambda part: filled[part[1]], rule.rule)
