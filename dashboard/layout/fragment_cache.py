"""A cache of rendered template fragments.

    {% call cached("ratings", version) %} ... {% endcall %}

The fragment is rendered again only when `version` changes. The version must cover everything that
the fragment shows, and the fragment must not depend on the user. Each kind of fragment (the name,
or its first element) has its own cache, so that bots' pages do not evict the leaderboard.
"""

from collections.abc import Callable, Hashable
from functools import cache

from flask import Flask, request
from markupsafe import Markup

from arena.store.cache import Cache

MOST = 64  # fragments of a kind, up to 200 kB each


def register(app: Flask) -> None:
    """Add `cached` to the templates of an application."""

    @cache
    def parts_of(kind: Hashable) -> Cache[Markup]:
        return Cache(MOST)

    def cached(name: Hashable, version: Hashable, caller: Callable[[], str]) -> Markup:
        parts = parts_of(name[0] if isinstance(name, tuple) else name)
        key = request.script_root, name
        return parts.get(key, version, lambda: Markup(caller()))  # noqa: S704 - made by a template

    app.jinja_env.globals["cached"] = cached
