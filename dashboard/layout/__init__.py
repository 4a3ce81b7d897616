"""Shared parts of pages: the frame (`frame.html`), macros (`parts.html`), numbers and cards."""

from typing import Any

from flask import Flask, request
from werkzeug.local import LocalProxy

from arena.base import instant
from arena.games.rules import GAMES
from arena.service.control.sentences import TWO_NUMBERS, UNRATED
from dashboard.layout import fragment_cache, markup, numbers
from dashboard.layout.avatar import avatar
from dashboard.layout.chart import banded, curve_of, sparkline
from dashboard.layout.errorbars import axis, error_bar
from dashboard.layout.frame import THEMES, entries, theme
from dashboard.site import link, this_page


def register(app: Flask) -> None:
    fragment_cache.register(app)
    app.jinja_env.filters.update(
        numbers.FILTERS, contest=markup.contest, outcome=markup.outcome, ticked=markup.ticked
    )
    app.jinja_env.globals.update(
        GAMES=GAMES,
        axis=axis,
        banded=banded,
        bot_link=markup.bot_link,
        curve_of=curve_of,
        card=markup.card,
        cards=markup.cards,
        error_bar=error_bar,
        forms=_macros_of(app, "layout/forms.html"),
        avatar=avatar,
        avatar_link=markup.avatar_link,
        layout=_macros_of(app, "layout/parts.html"),
        link=link,
        live_from=markup.live_from,
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
