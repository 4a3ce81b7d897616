"""Parts of pages that are kept as they were made while what they show is the same.

    {% call cached("ratings", version) %} ... {% endcall %}

What stands between is made only where nobody has asked for it since `version` is what it is. So
the version must be another one whenever anything between would be, and nothing there may depend
on who is reading.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from flask import Flask, request
from markupsafe import Markup

from arena.store.cache import Cache

MOST = 128  # a large one has 200 kB


def register(app: Flask) -> None:
    """Gives the templates of an application `cached`."""
    parts: Cache[Markup] = Cache(MOST)

    def cached(name: Hashable, version: Hashable, caller: Callable[[], str]) -> Markup:
        """The part of that name as it is in that version of what it shows."""
        key = request.script_root, name
        return parts.get(key, version, lambda: Markup(caller()))  # noqa: S704 - made by a template

    app.jinja_env.globals["cached"] = cached
