"""The page of the featured match, and the data for its script."""

from functools import partial
from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request

from arena.base.errors import NotFound
from arena.store.reports import standings
from arena.store.reports.standings import Standing
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament
from dashboard.events.topics import live_part
from dashboard.matches.replay.drawing import frames
from dashboard.sources import sources
from dashboard.urls import requested_number
from dashboard.watch.show import TIMES, Show, on_show, tables_in_play

page = Blueprint("watch", __name__)

MOST_STANDINGS = 8


@page.get("/tournaments/<number:number>/watch")
def show(number: int) -> str:
    """The page. Without JavaScript, it shows the current state and reloads itself."""
    return render_template("watch/page.html", **table_context(number, whole=True), around=True)


@page.get("/tournaments/<number:number>/watch/live")
def live(number: int) -> str:
    """The live fragment for the script; with `around`, also the standings and the other tables.
    Frames on other sites have no place for them."""
    around = "around" in request.args
    return render_template("watch/update.html", **table_context(number), around=around)


@page.get("/tournaments/<number:number>/watch/frames")
def parts(number: int) -> Response:
    """A scored round of the featured match in play. Raises NotFound, InvalidRequest."""
    found = on_show(_tournament(number))
    if found is None or found.live is None:
        raise NotFound("The featured match is no longer in play.")
    return frames_of(found)


def frames_of(found: Show) -> Response:
    """Return the requested round of a match in play."""
    answer = jsonify(frames(found.states(requested_number("round", 1, lowest=1) or 1), None))
    answer.headers["Cache-Control"] = "no-store"
    return answer


def table_context(number: int, *, whole: bool = False) -> dict[str, Any]:
    """Return the context of the featured match; `whole` pages show its current state, which the
    script draws in fragments. Raises NotFound, Unavailable."""
    part = live_part(f"watch-{number}")
    tournament = _tournament(number)
    found = on_show(tournament)
    tables = tables_in_play(tournament)
    return {
        "part": part,
        "tournament": tournament,
        "show": found,
        "state": found.state() if found and whole else None,
        "standings_of": partial(_standings, number),
        "most_standings": MOST_STANDINGS,
        "tables": [each for each in tables if found is None or each.match != found.match],
        "times": TIMES,
    }


def _standings(number: int) -> list[Standing]:
    with sources().read() as conn:
        return standings.standings(conn, number)


def _tournament(number: int) -> Tournament:
    """Return a tournament. Raises NotFound, including for games against people."""
    with sources().read() as conn:
        found = tournaments.get(conn, number)
    if found.kind != "tournament":
        raise NotFound(f"There is no tournament {number}.")
    return found
