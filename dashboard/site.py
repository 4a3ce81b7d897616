"""The address of the website, for links that leave it.

It is `ARENA_PUBLIC_URL`. Where that is not set it is what the visitor's browser asked for, and
anyone can ask for any host: so no shared cache may keep an answer that has it (`system.headers`).
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from flask import current_app, g, request, url_for

from dashboard.sources import Sources


def address() -> str:
    """The address, without a slash at the end."""
    here: Sources | None = current_app.extensions.get("arena")  # `arena replay` has none
    if here is not None and here.settings.public_url:
        return here.settings.public_url.rstrip("/")
    g.host_shown = True
    return request.host_url.rstrip("/")


def link(endpoint: str, **values: Any) -> str:
    """The whole address of a page."""
    return address() + url_for(endpoint, **values)


def home() -> str:
    """The whole address of the first page, without a slash at the end."""
    return link("overview.show").rstrip("/")


def this_page() -> str:
    """The whole address of the present page, with its query."""
    parts = urlsplit(request.url)
    return address() + parts.path + (f"?{parts.query}" if parts.query else "")


def shows_host() -> bool:
    """Whether the answer to the present request has its host in it."""
    return bool(g.get("host_shown", False))
