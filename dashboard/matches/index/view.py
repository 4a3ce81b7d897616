"""The list of matches, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Blueprint, render_template, request

from arena.store.matches import matches
from arena.store.matches.matches import MatchRow
from arena.store.registry import bots
from arena.store.tournaments import tournaments
from dashboard.api.answer import answers
from dashboard.api.parameters import AFTER_MATCH, BOT, TOURNAMENT, limit
from dashboard.matches.index.serializers import MATCHES, serialize
from dashboard.sources import sources
from dashboard.urls import requested_bot, requested_number

page = Blueprint("matches", __name__)

PAGE = 50
CHOICES = 200  # tournaments to choose from


@dataclass(frozen=True)
class MatchesQuery:
    """A page of matches and what was asked for; `older` is where the next page begins."""

    bot: str | None
    tournament: int | None
    after: str
    rows: list[MatchRow]
    older: str


@page.get("/matches")
def show() -> str:
    """The page."""
    query = _requested()
    with sources().read() as conn:
        return render_template(
            "matches/index/page.html",
            query=query,
            bots=[bot.name for bot in bots.all_bots(conn)],
            tournaments=tournaments.newest_names(conn, CHOICES),
        )


@page.get("/api/matches.csv")
@page.get("/api/matches")
@answers(
    MATCHES,
    query=(BOT, TOURNAMENT, limit(PAGE), AFTER_MATCH),
    rows="matches",
    per="seats",
    refuses=(404,),
)
def as_json(bot: str | None, tournament: int | None, limit: int, after: str) -> dict[str, Any]:
    """Matches, newest first; of a bot, of a tournament, or of both."""
    query = _query(bot, tournament, limit, after)
    return MATCHES.tell(matches=[serialize(row) for row in query.rows], next=query.older)


def _requested() -> MatchesQuery:
    limit, after = requested_number("limit", PAGE) or 0, request.args.get("after", "")
    return _query(requested_bot(), requested_number("tournament", None, lowest=1), limit, after)


def _query(bot: str | None, tournament: int | None, limit: int, after: str) -> MatchesQuery:
    with sources().read() as conn:
        if tournament is not None:
            tournaments.get(conn, tournament)  # NotFound, rather than an empty list
        rows, older = matches.list_matches(conn, bot, tournament, limit, after)
    return MatchesQuery(bot, tournament, after, rows, older)
