"""Pages for iframes on other sites, the only ones that may be framed.

They contain no forms, and links open new pages, so clickjacking is harmless. They are the same
for all users.
"""

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, Response, make_response, render_template, url_for

from arena.base import instant
from arena.store.reports import fits
from arena.store.tournaments.daily import why_sealed
from dashboard.layout.numbers import game
from dashboard.matches.replay.states import states
from dashboard.matches.replay.view import ReplayQuery
from dashboard.matches.shown import shown
from dashboard.ratings.table.query import lines_of, ratings_query
from dashboard.ratings.table.view import scale
from dashboard.sources import sources
from dashboard.system.headers import FRAMEABLE
from dashboard.watch.show import TIMES, Show
from dashboard.watch.view import table_context

page = Blueprint("embed", __name__)

TABLE = ["table.css", "watch.css"]  # stylesheets of pages with a match
MOST = 20  # lines of the leaderboard
EVERY_S = 60  # between updates of the leaderboard


@page.get("/embed/tournaments/<number:number>")
def tournament(number: int) -> Response:
    """The featured match of a tournament. Raises NotFound."""
    context = table_context(number, whole=True)
    whole = url_for("watch.show", number=number)
    of = context["tournament"].spec
    return _framed("page", **context, title=of.name, game=of.game, whole=whole, live=True)


@page.get("/embed/matches/<match:match>")
def replay(match: str) -> Response:
    """A looping replay of a match. Raises NotFound."""
    stored, tournament = shown().with_tournament(match)
    sentence = why_sealed(tournament)
    context: dict[str, Any] = {"tournament": tournament, "show": None, "sentence": sentence}
    if not stored.locked:
        query = ReplayQuery.of(stored, None)
        show = Show.of(query.match, began=instant.now())
        state = states(query.match, query.sheets, 1, None)[0]
        context |= {"show": show, "state": state, "sentence": "", "times": TIMES}
    title = ", ".join(seat.bot for seat in stored.seats)
    whole = url_for("replay.show", match=match)
    return _framed("page", **context, title=title, game=stored.game, whole=whole, live=False)


@page.get("/embed/ratings")
def ratings() -> Response:
    """The top of a leaderboard. Raises InvalidRequest."""
    with sources().read() as conn:
        table = ratings_query(conn)
        anchor = fits.anchor_in(conn, table.game, table.seats)
        lines = table.matching(lines_of(conn, table))
    title = f"{game(table.game)} ratings"
    if table.seats:
        title += f", {table.seats} seats"
    best = lines[:MOST]
    return _framed(
        "ratings",
        sheets=[],
        table=table,
        lines=best,
        of=len(lines),
        anchor=anchor,
        scale=scale(best),
        every=EVERY_S,
        title=title,
        game=table.game,
        whole=url_for("ratings.show", **table.but()),
        live=True,
    )


def _framed(template: str, sheets: Sequence[str] = TABLE, **context: object) -> Response:
    made = render_template(f"embed/{template}.html", sheets=sheets, **context)
    response = make_response(made)
    response.headers["Content-Security-Policy"] = FRAMEABLE
    return response
