"""What all pages share: the frame (`frame.html`), its parts (`parts.html`), numbers and cards."""

from __future__ import annotations

import time

from flask import Flask, request

from dashboard.layout import numbers
from dashboard.layout.cards import card, cards, token
from dashboard.layout.chart import curve
from dashboard.layout.navigation import entries


def register(app: Flask) -> None:
    """Makes them known to the templates."""
    app.jinja_env.filters.update(numbers.FILTERS)
    app.jinja_env.globals.update(card=card, cards=cards, token=token, curve=curve)

    @app.context_processor
    def of_this_request() -> dict[str, object]:
        return {"now": time.time(), "navigation": entries(request.path)}
