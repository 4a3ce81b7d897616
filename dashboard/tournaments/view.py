"""The list of tournaments, newest first."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, render_template

from arena.store import tournaments
from arena.store.tournaments import Tournament
from dashboard.api.answer import answers
from dashboard.api.parameters import AFTER, limit
from dashboard.sources import sources
from dashboard.tournament.told import TOURNAMENTS, told
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


@page.get("/api/tournaments.csv")
@page.get("/api/tournaments")
@answers(TOURNAMENTS, query=(limit(PAGE), AFTER), rows="tournaments")
def as_json(limit: int, after: str) -> dict[str, Any]:
    """Tournaments, newest first; the seed of each once it is finished."""
    found, older = _older(int(after) if after else None, limit)
    following = "" if older is None else str(older)
    return TOURNAMENTS.tell(tournaments=[told(each) for each in found], next=following)


def _asked() -> tuple[list[Tournament], int | None]:
    return _older(asked_number("before", None), PAGE)


def _older(before: int | None, limit: int) -> tuple[list[Tournament], int | None]:
    """A page of them, and where the next one begins."""
    with sources().read() as conn:
        found = tournaments.all_tournaments(conn, limit + 1, before)
    page = found[:limit]
    return page, page[-1].id if len(found) > limit else None
