"""The list of tournaments, newest first."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, render_template

from arena.store import tournaments
from arena.store.tournaments import Tournament
from dashboard.sources import sources
from dashboard.tournament.told import told
from dashboard.urls import asked_number

page = Blueprint("tournaments", __name__)

PAGE = 30


@page.get("/tournaments")
def show() -> str:
    """The page."""
    found, older = _asked()
    return render_template("tournaments/page.html", tournaments=found, older=older)


@page.get("/tournaments/live")
def live() -> str:
    """The part of the page that changes."""
    found, older = _asked()
    return render_template("tournaments/live.html", tournaments=found, older=older)


@page.get("/api/tournaments")
def as_json() -> Response:
    """Tournaments, newest first; ?before= takes the "next" of the page before."""
    found, older = _asked()
    return jsonify(tournaments=[told(tournament) for tournament in found], next=older)


def _asked() -> tuple[list[Tournament], int | None]:
    """A page of them, and where the next one begins."""
    with sources().read() as conn:
        found = tournaments.all_tournaments(conn, PAGE + 1, asked_number("before", None))
    page = found[:PAGE]
    return page, page[-1].id if len(found) > PAGE else None
