"""Shared parts of pages: the frame (`frame.html`), macros (`parts.html`), numbers and cards."""

from collections.abc import Callable, Hashable
from functools import cache
from typing import Any

from flask import Flask, request
from markupsafe import Markup
from werkzeug.local import LocalProxy

from arena.base import instant
from arena.games.rules import GAMES
from arena.service.control.sentences import TWO_NUMBERS, UNRATED
from arena.store.cache import Cache
from dashboard.layout import markup, numbers
from dashboard.layout.avatar import avatar
from dashboard.layout.chart import banded, curve_of, sparkline
from dashboard.layout.errorbars import axis, error_bar
from dashboard.layout.frame import THEMES, entries, form_problems, report_problem, theme
from dashboard.site import link, this_page

MOST = 64  # cached fragments of a kind, up to 200 kB each


def register(app: Flask) -> None:
    app.jinja_env.filters.update(
        numbers.FILTERS, contest=markup.contest, outcome=markup.outcome, ticked=markup.ticked
    )
    app.jinja_env.globals.update(
        cached=_fragment_cache(),
        GAMES=GAMES,
        axis=axis,
        banded=banded,
        bot_link=markup.bot_link,
        curve_of=curve_of,
        card=markup.card,
        cards=markup.cards,
        error_bar=error_bar,
        form_problems=form_problems,
        forms=_macros_of(app, "layout/forms.html"),
        avatar=avatar,
        avatar_link=markup.avatar_link,
        layout=_macros_of(app, "layout/parts.html"),
        link=link,
        live_from=markup.live_from,
        report_problem=report_problem,
        this_page=this_page,
        select_options=markup.select_options,
        share_bar=markup.share_bar,
        sparkline=sparkline,
        token=markup.token,
        two_numbers=TWO_NUMBERS,
        unrated=UNRATED,
    )

    @app.context_processor
    def of_this_request() -> dict[str, object]:
        return {
            "now": instant.now(),
            "navigation": entries(request.path),
            "root": request.script_root,
            "reviewed": "review" in app.blueprints,
            "theme": theme(),
            "themes": THEMES,
        }


def _macros_of(app: Flask, template: str) -> Any:
    """Return the macros of a template, which is loaded when one is first used."""
    return LocalProxy(lambda: app.jinja_env.get_template(template).module)


def _fragment_cache() -> Callable[..., Markup]:
    """Return a cache of rendered fragments: {% call cached("ratings", version) %} ... {% endcall %}

    The fragment is rendered again only when `version` changes. The version must cover everything
    that the fragment shows, and the fragment must not depend on the user. Each kind of fragment
    (the name, or its first element) has its own cache, so that bots' pages do not evict the
    leaderboard.
    """

    @cache
    def parts_of(kind: Hashable) -> Cache[Markup]:
        return Cache(MOST)

    def cached(name: Hashable, version: Hashable, caller: Callable[[], str]) -> Markup:
        parts = parts_of(name[0] if isinstance(name, tuple) else name)
        key = request.script_root, name
        return parts.get(key, version, lambda: Markup(caller()))  # noqa: S704 - made by a template

    return cached
