"""The first page."""

from __future__ import annotations

import time
from typing import Any

from flask import Blueprint, render_template

from arena.store import bots, matches, ratings, tournaments
from dashboard.api.answer import answers
from dashboard.api.shape import Many, Shape
from dashboard.bots.connection import connection
from dashboard.events.part import live_part
from dashboard.overview.queries import matches_in_all
from dashboard.ratings.asked import first_game
from dashboard.ratings.view import scale
from dashboard.sources import sources
from dashboard.tournament.progress import progress
from dashboard.tournament.told import RUNNING, told_running

page = Blueprint("overview", __name__)

LATEST = 10
TOP = 15

OVERVIEW = Shape(
    "Overview",
    about="`connected` and `gateway` are null where it cannot be told who is connected.",
    more={
        "running": Many(RUNNING),
        "bots": int,
        "connected": int | None,
        "gateway": bool | None,
        "matches": int,
    },
)


@page.get("/")
def show() -> str:
    """The page."""
    return render_template("overview/page.html", **_shown())


@page.get("/live")
def live() -> str:
    """The part of the page that changes."""
    return render_template("overview/live.html", **_shown())


@page.get("/api/overview")
@answers(OVERVIEW)
def as_json() -> dict[str, Any]:
    """What is running now, and how many bots and matches there are."""
    with sources().read() as conn:
        running = [progress(conn, each, time.time()) for each in tournaments.active(conn)]
        registered, stored = bots.all_bots(conn), matches_in_all(conn)
    live = sources().live([bot.player for bot in registered])
    return OVERVIEW.tell(
        running=[told_running(pace) for pace in running],
        bots=len(registered),
        connected=len(live.connected) if live.known else None,
        gateway=live.gateway if live.known else None,
        matches=stored,
    )


def _shown() -> dict[str, object]:
    part = live_part("home")
    with sources().read() as conn:
        registered = bots.all_bots(conn)
        game = first_game(ratings.games(conn))
        table = ratings.table(conn, game)[:TOP]
        shown = {
            "running": [progress(conn, each, time.time()) for each in tournaments.active(conn)],
            "game": game,
            "ratings": table,
            "scale": scale(table),
            "latest": matches.list_matches(conn, limit=LATEST)[0],
            "finished": tournaments.all_tournaments(conn, 5),
            "stored": matches_in_all(conn),
        }
    live = sources().live([bot.player for bot in registered])
    lines = [(bot, connection(live, bot.player)) for bot in registered]
    return {**shown, "part": part, "bots": lines, "live": live}
