"""The pictures. They are drawn when somebody asks, and are the same for everybody."""

from __future__ import annotations

from flask import Blueprint, Response

from arena.store.matches import matches
from arena.store.registry import bots
from arena.store.reports.standings import standings
from arena.store.tournaments import tournaments
from dashboard.account.guard import limited
from dashboard.authors.standing import standings_of
from dashboard.pictures import cards
from dashboard.pictures.cards import Picture
from dashboard.pictures.drawing import png
from dashboard.pictures.links import picture_address
from dashboard.sources import sources

page = Blueprint("pictures", __name__)
page.add_app_template_global(picture_address)

OFTEN = "20 per minute"
LASTS_S = 300
LASTS_ALWAYS_S = 86_400  # a match does not change


@page.get("/preview.png")
@limited(OFTEN, reading=True)
def site() -> Response:
    """The arena."""
    return _answer(cards.WELCOME, LASTS_ALWAYS_S)


@page.get("/bots/<bot:name>/preview.png")
@limited(OFTEN, reading=True)
def bot(name: str) -> Response:
    """A bot with its rating. Raises NotFound."""
    with sources().read() as conn:
        found = bots.get(conn, name)
        places = standings_of(conn, [found.player])[found.player]
    return _answer(cards.of_bot(found, places))


@page.get("/matches/<match:match>/preview.png")
@limited(OFTEN, reading=True)
def match(match: str) -> Response:
    """The result of a match. Raises NotFound."""
    with sources().read() as conn:
        found = matches.get_match(conn, match)
        where = tournaments.names(conn, [found.tournament]).get(found.tournament, "")
    return _answer(cards.of_match(found, where), LASTS_ALWAYS_S)


@page.get("/tournaments/<number:number>/preview.png")
@limited(OFTEN, reading=True)
def tournament(number: int) -> Response:
    """A tournament with its standings. Raises NotFound."""
    with sources().read() as conn:
        found = tournaments.get(conn, number)
        lines = standings(conn, number)
    return _answer(cards.of_tournament(found, lines))


def _answer(picture: Picture, lasts_s: int = LASTS_S) -> Response:
    """The database is not held while it is drawn."""
    response = Response(png(picture), mimetype="image/png")
    response.cache_control.public = True
    response.cache_control.max_age = lasts_s
    return response
