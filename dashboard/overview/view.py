"""The first page: how the arena is, what runs, who is connected, the best, the latest."""

from __future__ import annotations

import time
from typing import Any

from flask import Blueprint, render_template

from arena.health.words import hints
from arena.store.matches import matches
from arena.store.reports import leaderboard
from arena.store.tournaments import tournaments
from dashboard.api.answer import answers
from dashboard.api.shape import Many, Shape
from dashboard.bots.index.connection import connection
from dashboard.events.part import live_part
from dashboard.overview.queries import under_way
from dashboard.ratings.table.query import first_game
from dashboard.ratings.table.view import scale
from dashboard.sources import sources
from dashboard.system.health.state import current_state
from dashboard.tournaments.detail.progress import progress, with_forecasts
from dashboard.tournaments.detail.serializers import RUNNING, serialize_running

page = Blueprint("overview", __name__)

LATEST = 10
TOP = 15
UNDER_WAY = 5  # tournaments with their progress
MOST_UNDER_WAY = 100  # in the JSON
CONNECTED = 60  # bots by name

OVERVIEW = Shape(
    "Overview",
    about="`connected` and `gateway` are null where it is unknown who is connected. `running` "
    f"are the tournaments under way, at most {MOST_UNDER_WAY} of them; `under_way` says how many "
    "there are.",
    more={
        "running": Many(RUNNING),
        "under_way": int,
        "bots": int,
        "connected": int | None,
        "gateway": bool | None,
        "matches": int,
    },
)


@page.get("/")
def show() -> str:
    """The page."""
    return render_template("overview/page.html", **_context())


@page.get("/live")
def live() -> str:
    """The part of the page that changes."""
    return render_template("overview/live.html", **_context())


@page.get("/api/overview")
@answers(OVERVIEW)
def as_json() -> dict[str, Any]:
    """What is running now, and how many bots and matches there are."""
    now = time.time()
    arena = current_state(now)
    with sources().read() as conn:
        running = [progress(conn, each, now) for each in under_way(conn, MOST_UNDER_WAY)]
    return OVERVIEW.tell(
        running=[serialize_running(pace) for pace in with_forecasts(running)],
        under_way=arena.health.running + arena.health.waiting,
        bots=arena.health.bots,
        connected=arena.health.connected,
        gateway=arena.live.gateway if arena.live.known else None,
        matches=arena.health.matches,
    )


def _context() -> dict[str, object]:
    """What the page shows; what takes its time only when its template asks for it."""
    now, part = time.time(), live_part("home")
    arena = current_state(now)
    return {
        "part": part,
        "health": arena.health,
        "live": arena.live,
        "problems": arena.problems,
        "hints": hints(arena.health),
        "connected": [
            (bot, link)
            for bot in arena.bots
            if (link := connection(arena.live, bot.player)).presence
        ],
        "most_connected": CONNECTED,
        "more": lambda: _more(now),
    }


def _more(now: float) -> dict[str, object]:
    with sources().read() as conn:
        game = first_game(leaderboard.games(conn))
        table = leaderboard.table(conn, game)[:TOP]
        latest, _ = matches.list_matches(conn, limit=LATEST)
        running = [progress(conn, each, now) for each in under_way(conn, UNDER_WAY)]
        context = {
            "game": game,
            "ratings": table,
            "scale": scale(table),
            "latest": latest,
            "names": tournaments.names(conn, {row.tournament for row in latest}),
            "tournaments": tournaments.all_tournaments(conn, 5),
        }
    return {**context, "running": with_forecasts(running)}
