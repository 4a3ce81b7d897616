"""The list of matches, newest first; of a bot also its lost, faulty and worst ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Blueprint, render_template, request

from arena.store.archive import words as archive_words
from arena.store.matches import matches
from arena.store.matches.matches import MatchRow
from arena.store.matches.worst import AMONG
from arena.store.registry import bots
from arena.store.tournaments import tournaments
from dashboard.api.answer import answers
from dashboard.api.parameters import AFTER_MATCH, BOT, FAULTS, LOST, TOURNAMENT, WORST, limit
from dashboard.matches.index.serializers import MATCHES, serialize
from dashboard.sources import sources
from dashboard.urls import requested_bot, requested_flag, requested_number

page = Blueprint("matches", __name__)

PAGE = 50
FLAGS = ("lost", "faults", "worst")
CHOICES = 200  # tournaments to choose from


@dataclass(frozen=True)
class MatchesQuery:
    """A page of matches and what was asked for; `older` is where the next page begins."""

    bot: str | None
    tournament: int | None
    lost: bool
    faults: bool
    worst: bool
    after: str
    rows: list[MatchRow]
    older: str
    archived: str  # a sentence about those that are

    def page(self, after: str | None) -> dict[str, Any]:
        """The query of the address of another page of the same list."""
        flags = {name: "true" for name in FLAGS if getattr(self, name)}
        return {"bot": self.bot, "tournament": self.tournament, "after": after, **flags}


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
            among=AMONG,
        )


@page.get("/api/matches.csv")
@page.get("/api/matches")
@answers(
    MATCHES,
    query=(BOT, TOURNAMENT, LOST, FAULTS, WORST, limit(PAGE), AFTER_MATCH),
    rows="matches",
    per="seats",
    refuses=(404,),
)
def as_json(limit: int, after: str, **wanted: Any) -> dict[str, Any]:
    """Matches, newest first; of a bot, of a tournament, or of both.

    Of a bot also only those that it lost, those with faults of it, and the worst first.
    """
    query = _query(limit, after, **wanted)
    rows = [serialize(row) for row in query.rows]
    return MATCHES.tell(matches=rows, next=query.older, older=query.archived)


def _requested() -> MatchesQuery:
    return _query(
        requested_number("limit", PAGE) or 0,
        request.args.get("after", ""),
        requested_bot(),
        requested_number("tournament", None, lowest=1),
        **{name: requested_flag(name) for name in FLAGS},
    )


def _query(
    limit: int, after: str, bot: str | None, tournament: int | None, **flags: bool
) -> MatchesQuery:
    with sources().read() as conn:
        if tournament is not None:
            tournaments.get(conn, tournament)  # NotFound, rather than an empty list
        rows, older = matches.list_matches(conn, bot, tournament, limit, after, **flags)
        of_bot = bots.get(conn, bot).id if bot is not None else None
        archived = archive_words.older(conn, of_bot, tournament) if not older else ""
    return MatchesQuery(
        bot, tournament, after=after, rows=rows, older=older, archived=archived, **flags
    )
