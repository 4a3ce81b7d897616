"""The list of matches by day, newest first, with filters, and the notable ones among the latest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from flask import Blueprint, render_template

from arena.games.match import FAULT_KINDS
from arena.games.rules import GAMES
from arena.store.archive import catalogue
from arena.store.matches import matches, narrowed
from arena.store.matches.matches import MatchRow
from arena.store.matches.worst import AMONG
from arena.store.registry import bot_lists, bots
from arena.store.tournaments import lists, tournaments
from dashboard.api.answer import answers
from dashboard.matches import highlights
from dashboard.matches.highlights import latest
from dashboard.matches.index.asked import PARAMETERS, Asked, asked_for
from dashboard.matches.index.serializers import MATCHES, serialize
from dashboard.sources import sources

page = Blueprint("matches", __name__)

CHOICES = 200  # tournaments to choose from
NOTABLE = 120  # latest matches from which highlights are chosen
HIGHLIGHTS = 3  # of each kind
MARGINS = {0: "shared victory", 1: "1 point", 3: "up to 3 points", 5: "up to 5 points"}
FAULTS = [("any", "any fault"), *((kind, kind) for kind in FAULT_KINDS)]


@dataclass(frozen=True)
class MatchesQuery:
    """A page of matches; `older` is the `after` of the next page."""

    rows: list[MatchRow]
    older: str
    archived: str  # a sentence about archived matches
    names: dict[int, str]  # of the tournaments, by number

    @property
    def days(self) -> list[tuple[str, list[MatchRow]]]:
        """The matches by the day (UTC) on which they ended."""
        return [(day, list(rows)) for day, rows in groupby(self.rows, _day)]


def _day(row: MatchRow) -> str:
    at = datetime.fromtimestamp(row.finished, UTC)
    return f"{at:%A}, {at.day} {at:%B %Y}"


@page.get("/matches")
def show() -> str:
    asked = asked_for()
    query = _query(asked)
    with sources().read() as conn:
        recent = [] if asked.narrowed or asked.after else latest(conn, NOTABLE)
        return render_template(
            "matches/index/page.html",
            asked=asked,
            query=query,
            notable=NOTABLE,
            upsets=highlights.upsets(recent, HIGHLIGHTS),
            closest=highlights.closest(recent, HIGHLIGHTS),
            faulty=highlights.faulty(recent, HIGHLIGHTS),
            own=bots.public(conn, asked.bot).name if asked.bot else "",
            bots=[(name, name) for name in bot_lists.all_names(conn)],
            tournaments=lists.newest_names(conn, CHOICES),
            games=[(name, game.title) for name, game in GAMES.items()],
            faults=FAULTS,
            margins=MARGINS,
            among=AMONG,
            looked_through=narrowed.AMONG,
        )


@page.get("/api/matches.csv")
@page.get("/api/matches")
@answers(MATCHES, query=PARAMETERS, rows="matches", per="seats", refuses=(404,))
def as_json(**wanted: Any) -> dict[str, Any]:
    """Matches, newest first, with filters that can be combined.

    A page may have fewer matches than `limit`, or none, and still have a next page: a request looks
    through a limited number of matches. For a bot, it can list only the matches it did not win, and
    its worst ones first.
    """
    query = _query(Asked.of(wanted))
    rows = [serialize(row) for row in query.rows]
    return MATCHES.tell(matches=rows, next=query.older, older=query.archived)


def _query(asked: Asked) -> MatchesQuery:
    bot, tournament = asked.bot, asked.tournament
    with sources().read() as conn:
        named = [bots.public(conn, each).id for each in (bot, asked.opponent) if each is not None]
        if tournament is not None:
            tournaments.get(conn, tournament)  # raises NotFound instead of an empty list
        rows, older = matches.list_matches(
            conn, limit=asked.limit, after=asked.after, **asked.narrow
        )
        of_bot = named[0] if named else None  # the bot: there is no opponent without one
        archived = catalogue.older(conn, of_bot, tournament) if not older else ""
        names = lists.names(conn, {row.tournament for row in rows})
    return MatchesQuery(rows, older, archived, names)
