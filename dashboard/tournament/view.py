"""One tournament."""

from __future__ import annotations

import time

from flask import Blueprint, Response, jsonify, render_template

from arena.store import matches, standings, tournaments
from dashboard.sources import sources
from dashboard.tournament.progress import progress
from dashboard.tournament.told import seed_is_open, told

page = Blueprint("tournament", __name__)

LATEST = 8


@page.get("/tournaments/<number:number>")
def show(number: int) -> str:
    """The page."""
    return render_template("tournament/page.html", **_shown(number))


@page.get("/tournaments/<number:number>/live")
def live(number: int) -> str:
    """The part of the page that changes."""
    return render_template("tournament/live.html", **_shown(number))


@page.get("/api/tournaments/<number:number>")
def as_json(number: int) -> Response:
    """A tournament with its progress and standings; its seed once it is finished."""
    with sources().read() as conn:
        found = tournaments.get(conn, number)
        pace = progress(conn, found, time.time())
        table = standings.standings(conn, number)
    return jsonify(
        **told(found), matches_per_second=pace.speed, seconds_left=pace.left_s, standings=table
    )


def _shown(number: int) -> dict[str, object]:
    with sources().read() as conn:
        found = tournaments.get(conn, number)
        return {
            "tournament": found,
            "progress": progress(conn, found, time.time()),
            "standings": standings.standings(conn, number),
            "latest": matches.list_matches(conn, tournament=number, limit=LATEST)[0],
            "seed_is_open": seed_is_open(found),
        }
