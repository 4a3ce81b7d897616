"""One tournament."""

from __future__ import annotations

import time
from typing import Any

from flask import Blueprint, render_template

from arena.store import matches, standings, tournaments
from dashboard.api.answer import answers, page_of
from dashboard.api.parameters import AFTER, limit
from dashboard.api.shape import plain
from dashboard.sources import sources
from dashboard.tournament.progress import progress
from dashboard.tournament.told import STANDINGS, WHOLE, seed_is_open, told_whole

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
@answers(WHOLE)
def as_json(number: int) -> dict[str, Any]:
    """A tournament with its progress and standings; its seed once it is finished."""
    with sources().read() as conn:
        found = tournaments.get(conn, number)
        pace = progress(conn, found, time.time())
        table = standings.standings(conn, number)
    return told_whole(pace, table)


@page.get("/api/tournaments/<number:number>/standings.csv")
@page.get("/api/tournaments/<number:number>/standings")
@answers(STANDINGS, query=(limit(200), AFTER), rows="standings")
def standings_as_json(number: int, limit: int, after: str) -> dict[str, Any]:
    """The standings of a tournament, best first."""
    with sources().read() as conn:
        lines, following = page_of(standings.standings(conn, number), limit, after)
    return STANDINGS.tell(tournament=number, standings=plain(lines), next=following)


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
