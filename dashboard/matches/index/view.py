"""The list of matches by day, newest first, with filters, and the notable ones among the latest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from itertools import groupby
from typing import Any, NamedTuple

from flask import Blueprint, render_template, request
from werkzeug.datastructures import MultiDict

from arena.games.match import FAULT_KINDS
from arena.games.rules import GAMES
from arena.store.archive import catalogue
from arena.store.matches import matches, narrowed
from arena.store.matches.matches import MatchRow
from arena.store.registry import bot_lists, bots
from arena.store.tournaments import lists, tournaments
from dashboard.api.answer import answers
from dashboard.api.parameters import (
    AFTER_MATCH,
    ANY_GAME,
    BOT,
    FAULT,
    FAULTS,
    LOST,
    MARGIN,
    OPPONENT,
    SINCE,
    TOURNAMENT,
    UNTIL,
    WORST,
    Parameter,
    limit,
    read,
)
from dashboard.api.shape import Many, Shape
from dashboard.matches import highlights
from dashboard.matches.highlights import latest
from dashboard.sources import sources

page = Blueprint("matches", __name__)

CHOICES = 200  # tournaments to choose from
NOTABLE = 120  # latest matches from which highlights are chosen
HIGHLIGHTS = 3  # of each kind
MARGINS = {0: "shared victory", 1: "1 point", 3: "up to 3 points", 5: "up to 5 points"}
FAULT_CHOICES = [("any", "any fault"), *((kind, kind) for kind in FAULT_KINDS)]

PAGE = 50
SHOWN = 25  # on a page for people
NARROW = (BOT, OPPONENT, TOURNAMENT, ANY_GAME, FAULT, FAULTS, MARGIN, SINCE, UNTIL, LOST)
PARAMETERS: Sequence[Parameter] = (*NARROW, WORST, limit(PAGE), AFTER_MATCH)
DAY_S = 86_400.0
LAST_DAY = datetime(9999, 1, 1, tzinfo=UTC).timestamp()

# Positions in the schedule would reveal which matches share a deal, so they stay hidden.
MATCH = Shape(
    "Match",
    MatchRow,
    about="A finished match. Its `deal` is null until all matches of the deal are played.",
    only=("id", "tournament", "game", "finished", "locked", "seats"),
    more={"deal": int | None},
)
MATCHES = Shape(
    "Matches",
    about="A page of matches, newest first or worst first. On the last page, `older` is a sentence "
    "about archived matches, which are not listed.",
    more={"matches": Many(MATCH), "next": str, "older": str},
)


@dataclass(frozen=True)
class Asked:
    """The values of `PARAMETERS` by name."""

    values: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Asked:
        """Return the filters; an opponent without a bot becomes the bot."""
        if values["bot"] is None:
            values = {**values, "bot": values["opponent"], "opponent": None}
        return cls(dict(values))

    @property
    def narrow(self) -> dict[str, Any]:
        wanted = {each.name: self.values[each.name] for each in (*NARROW, WORST)}
        if wanted["fault"] == "any":
            wanted |= {"fault": None, "faults": True}
        since, until = wanted["since"], wanted["until"]
        return {
            **wanted,
            "since": None if since is None else _begins(since),
            "until": None if until is None else _begins(until) + DAY_S,
        }

    @property
    def narrowed(self) -> bool:
        return any(_is_asked(self.values[each.name]) for each in (*NARROW, WORST))

    @property
    def said(self) -> str:
        """The filters in words, for the title of the page."""
        named = {"bot": "{}", "opponent": "against {}", "game": "{}", "tournament": "tournament {}"}
        named |= {"margin": "{}", "fault": "fault: {}", "faults": "with faults", "lost": "not won"}
        named |= {"since": "from {}", "until": "to {}", "worst": "the worst first"}
        titles = {name: game.title for name, game in GAMES.items()}
        words: dict[str, Mapping[Any, str]] = {"margin": MARGINS, "game": titles}
        return ", ".join(
            text.format(words.get(name, {}).get(value, value))
            for name, text in named.items()
            if _is_asked(value := self.values[name])
        )

    def page(self, after: str | None) -> dict[str, Any]:
        values = {name: value for name, value in self.values.items() if _is_asked(value)}
        del values["limit"]
        flags = {name: "true" for name, value in values.items() if value is True}
        return {**values, **flags, "after": after}


def asked_for() -> Asked:
    """Return the filters of the current request, ignoring empty ones. Raises InvalidRequest."""
    known = {each.name for each in PARAMETERS}
    given = {name: value.strip() for name, value in request.args.items() if name in known}
    given = {"limit": str(SHOWN)} | {name: value for name, value in given.items() if value}
    return Asked.of(read(PARAMETERS, MultiDict(given)))


def _begins(day: date) -> float:
    moment = datetime.combine(day, time.min, UTC)
    return min(moment.timestamp(), LAST_DAY)  # the last representable day has no next one


def _is_asked(value: object) -> bool:
    return value is not None and value is not False  # 0 points is a valid margin


class MatchesQuery(NamedTuple):
    """A page of matches; `older` is the `after` of the next page."""

    rows: list[MatchRow]
    older: str
    archived: str  # a sentence about archived matches
    names: dict[int, str]  # of the tournaments, by number


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
            said=asked.said,
            **query._asdict(),
            days=[(day, list(rows)) for day, rows in groupby(query.rows, _day)],
            notable=NOTABLE,
            upsets=highlights.upsets(recent, HIGHLIGHTS),
            closest=highlights.closest(recent, HIGHLIGHTS),
            faulty=highlights.faulty(recent, HIGHLIGHTS),
            own=bots.public(conn, asked.bot).name if asked.bot else "",
            bots=[(name, name) for name in bot_lists.all_names(conn)],
            tournaments=lists.newest_names(conn, CHOICES),
            games=[(name, game.title) for name, game in GAMES.items()],
            faults=FAULT_CHOICES,
            margins=MARGINS,
            among=narrowed.WORST_AMONG,
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


def serialize(match: MatchRow) -> dict[str, Any]:
    """Return the public data of a match, with its deal once all matches of the deal are played."""
    return MATCH.tell(match, deal=None if match.locked else match.deal)
