"""Pages for frames on other sites, the only ones that may be framed.

Nothing on them can be sent or pressed but a pause, and links open pages of their own, so there is
nothing to trick a visitor into. They are the same for everybody.
"""

from __future__ import annotations

import time

from flask import Blueprint, Response, make_response, render_template, url_for

from dashboard.matches.detail.view import LOCKED
from dashboard.matches.replay.view import ReplayQuery
from dashboard.matches.shown import shown
from dashboard.system.headers import FRAMEABLE
from dashboard.watch.show import END_S, PACE_S, SCORED_S, Show
from dashboard.watch.view import table_context

page = Blueprint("embed", __name__)

PACE = {"move": PACE_S, "scored": SCORED_S, "end": END_S}


@page.get("/embed/tournaments/<number:number>")
def tournament(number: int) -> Response:
    """The table of a tournament on show. Raises NotFound."""
    context = table_context(number)
    found: Show | None = context["show"]
    if found is not None:
        place = found.place()
        context["state"] = found.states(place.round)[place.done]
    whole = url_for("watch.show", number=number)
    return _framed(**context, title=context["tournament"].spec.name, whole=whole)


@page.get("/embed/matches/<match:match>")
def replay(match: str) -> Response:
    """A match that plays by itself, again and again. Raises NotFound."""
    stored, tournament = shown().with_tournament(match)
    context: dict[str, object] = {"tournament": tournament, "show": None, "sentence": LOCKED}
    if not stored.locked:
        query = ReplayQuery.of(stored, None)
        names = tuple([seat.bot for seat in stored.seats])
        show = Show(stored.id, stored.game, names, query.course, None, time.time())
        context |= {"show": show, "state": show.states(1)[0], "sentence": ""}
    title = ", ".join(seat.bot for seat in stored.seats)
    return _framed(**context, title=title, whole=url_for("replay.show", match=match), stored=stored)


def _framed(**context: object) -> Response:
    response = make_response(render_template("embed/page.html", **context, pace=PACE))
    response.headers["Content-Security-Policy"] = FRAMEABLE
    return response
