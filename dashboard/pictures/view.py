"""The pictures, drawn on demand and the same for all users."""

from typing import Any

from flask import Blueprint, Response, g, request

from arena.store.registry import bots
from arena.store.reports.standings import standings
from arena.store.tournaments import tournaments
from dashboard.account.guard import limited, who
from dashboard.authors.view import standings_of
from dashboard.matches.shown import shown
from dashboard.pictures import cards, drawing
from dashboard.pictures.cards import Picture
from dashboard.site import link
from dashboard.sources import sources

# Pictures with the part of their address, and the blueprints of their pages.
PICTURES = {
    ("pictures.bot", "name"): ("bot", "bot_reviews"),
    ("pictures.match", "match"): ("match", "replay", "review"),
    ("pictures.tournament", "number"): ("tournament", "watch"),
}


def picture_address() -> str:
    blueprint = (request.endpoint or "").partition(".")[0]
    parts: dict[str, Any] = request.view_args or {}
    for (endpoint, part), blueprints in PICTURES.items():
        if blueprint in blueprints and part in parts:
            return link(endpoint, **{part: parts[part]})
    return link("pictures.site")


page = Blueprint("pictures", __name__)
page.add_app_template_global(picture_address)

OFTEN = "20 per minute"  # pictures of all kinds drawn for one person or address
LASTS_S = 300
LASTS_ALWAYS_S = 86_400  # a match does not change


charged = limited(
    OFTEN, reading=True, done=lambda _: "picture_drawn" in g, of=who, scope="pictures"
)


@page.get("/preview.png")
@charged
def site() -> Response:
    return _answer(cards.WELCOME, LASTS_ALWAYS_S)


@page.get("/bots/<bot:name>/preview.png")
@charged
def bot(name: str) -> Response:
    """A bot with its rating. Raises NotFound."""
    with sources().read() as conn:
        found = bots.public(conn, name)
        places = standings_of(conn, [found.player])[found.player]
    return _answer(cards.of_bot(found, places))


@page.get("/matches/<match:match>/preview.png")
@charged
def match(match: str) -> Response:
    """The result of a match. Raises NotFound."""
    found, of = shown().with_tournament(match)
    where = of.spec.name if of else ""
    return _answer(cards.of_match(found, where), LASTS_ALWAYS_S)


@page.get("/tournaments/<number:number>/preview.png")
@charged
def tournament(number: int) -> Response:
    """A tournament with its standings. Raises NotFound."""
    with sources().read() as conn:
        found = tournaments.get(conn, number)
        lines = standings(conn, number)
    return _answer(cards.of_tournament(found, lines))


def _answer(picture: Picture, lasts_s: int = LASTS_S) -> Response:
    """Return a picture, cached or drawn. Holds no database connection."""
    found = drawing.pen.kept(picture)
    if found is None:
        g.picture_drawn = True
        found = drawing.pen.draw(picture)
    response = Response(found, mimetype="image/png")
    response.cache_control.public = True
    response.cache_control.max_age = lasts_s
    return response
