"""Parts of pages that are kept as they were made while what they show is the same.

    {% call cached("ratings", version) %} ... {% endcall %}

What stands between is made only where nobody has asked for it since `version` is what it is. So
the version must be another one whenever anything between would be, and nothing there may depend
on who is reading. Of each kind of part (the name, or the first word of one) some are kept: hundreds
of bots' pages do not push out the rating table.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache

from flask import Flask, request
from markupsafe import Markup

from arena.store.cache import Cache

MOST = 64  # of a kind; a large one has 200 kB


def register(app: Flask) -> None:
    """Gives the templates of an application `cached`."""

    @cache
    def parts_of(kind: Hashable) -> Cache[Markup]:
        return Cache(MOST)

    def cached(name: Hashable, version: Hashable, caller: Callable[[], str]) -> Markup:
        """The part of that name as it is in that version of what it shows."""
        parts = parts_of(name[0] if isinstance(name, tuple) else name)
        key = request.script_root, name
        return parts.get(key, version, lambda: Markup(caller()))  # noqa: S704 - made by a template

    app.jinja_env.globals["cached"] = cached
