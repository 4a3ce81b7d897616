"""The list of matches, newest first."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, jsonify, render_template, request

from arena.store import bots, matches, tournaments
from arena.store.matches import MatchRow
from dashboard.matches.told import told
from dashboard.sources import sources
from dashboard.urls import asked_bot, asked_number

page = Blueprint("matches", __name__)

PAGE = 50
OFFERED = 200  # tournaments to choose from


@dataclass(frozen=True)
class Asked:
    """A page of matches and what was asked for; `older` is where the next page begins."""

    bot: str | None
    tournament: int | None
    after: str
    rows: list[MatchRow]
    older: str


@page.get("/matches")
def show() -> str:
    """The page."""
    asked = _asked()
    with sources().read() as conn:
        return render_template(
            "matches/page.html",
            asked=asked,
            bots=[bot.name for bot in bots.all_bots(conn)],
            tournaments=tournaments.all_tournaments(conn, OFFERED),
        )


@page.get("/api/matches")
def as_json() -> Response:
    """Matches, newest first; ?bot=, ?tournament=, ?limit=, and ?after= the "next" of a page."""
    asked = _asked()
    return jsonify(matches=[told(row) for row in asked.rows], next=asked.older)


def _asked() -> Asked:
    bot, tournament = asked_bot(), asked_number("tournament", None, lowest=1)
    after, limit = request.args.get("after", ""), asked_number("limit", PAGE) or 0
    with sources().read() as conn:
        if tournament is not None:
            tournaments.get(conn, tournament)  # NotFound, rather than an empty list
        rows, older = matches.list_matches(conn, bot, tournament, limit, after)
    return Asked(bot, tournament, after, rows, older)
