"""The first page."""

from __future__ import annotations

import time

from flask import Blueprint, Response, jsonify, render_template

from arena.store import bots, matches, ratings, tournaments
from dashboard.bots.connection import connection
from dashboard.overview.queries import matches_in_all
from dashboard.ratings.view import first_game
from dashboard.sources import sources
from dashboard.tournament.progress import progress
from dashboard.tournament.told import told

page = Blueprint("overview", __name__)

LATEST = 10
TOP = 15


@page.get("/")
def show() -> str:
    """The page."""
    return render_template("overview/page.html", **_shown())


@page.get("/live")
def live() -> str:
    """The part of the page that changes."""
    return render_template("overview/live.html", **_shown())


@page.get("/api/overview")
def as_json() -> Response:
    """What is running now, and how many bots and matches there are."""
    with sources().read() as conn:
        running = [progress(conn, each, time.time()) for each in tournaments.active(conn)]
        registered, stored = bots.all_bots(conn), matches_in_all(conn)
    live = sources().live([bot.player for bot in registered])
    return jsonify(
        running=[
            {**told(pace.tournament), "matches_per_second": pace.speed, "seconds_left": pace.left_s}
            for pace in running
        ],
        bots=len(registered),
        connected=len(live.connected) if live.known else None,
        gateway=live.gateway if live.known else None,
        matches=stored,
    )


def _shown() -> dict[str, object]:
    with sources().read() as conn:
        registered = bots.all_bots(conn)
        game = first_game(ratings.games(conn))
        shown = {
            "running": [progress(conn, each, time.time()) for each in tournaments.active(conn)],
            "game": game,
            "ratings": ratings.table(conn, game),
            "top": TOP,
            "latest": matches.list_matches(conn, limit=LATEST)[0],
            "finished": tournaments.all_tournaments(conn, 5),
            "stored": matches_in_all(conn),
        }
    live = sources().live([bot.player for bot in registered])
    lines = [(bot, connection(live, bot.player)) for bot in registered]
    return {**shown, "bots": lines, "live": live}
