"""The address of the website, for absolute links.

It is `ARENA_PUBLIC_URL`, or else the host of the request. Clients can send any host, so shared
caches must not store a response that contains it (`system.headers`).
"""

from typing import Any
from urllib.parse import urlsplit

from flask import current_app, g, request, url_for

from dashboard.sources import Sources


def address() -> str:
    """Return the address, without a trailing slash."""
    here: Sources | None = current_app.extensions.get("arena")  # `arena replay` has none
    if here is not None and here.settings.public_url:
        return here.settings.public_url.rstrip("/")
    g.host_shown = True
    return request.host_url.rstrip("/")


def link(endpoint: str, **values: Any) -> str:
    return address() + url_for(endpoint, **values)


def home() -> str:
    """Return the absolute URL of the home page, without a trailing slash."""
    return link("overview.show").rstrip("/")


def this_page() -> str:
    parts = urlsplit(request.url)
    return address() + parts.path + (f"?{parts.query}" if parts.query else "")
