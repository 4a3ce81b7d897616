"""The leaderboard of a game, for all tables or a number of seats."""

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, render_template, request
from sqlalchemy import Connection

from arena.games.rules import GAMES
from arena.service.control.messages import included_words
from arena.store.projections import rating_history
from arena.store.reports import fits, leaderboard
from arena.store.reports.fits import Included, included
from arena.store.reports.leaderboard import Rating
from arena.tournaments.ratings.elo import START
from dashboard.api.answer import answers, page_of
from dashboard.api.parameters import AFTER, GAME, SEATS, choice, limit, number, text
from dashboard.api.shape import Shape
from dashboard.layout.errorbars import Scale, scale_of
from dashboard.ratings.table import query
from dashboard.ratings.table.takeaways import takeaways
from dashboard.sources import sources
from dashboard.urls import requested_number

page, help_page = Blueprint("ratings", __name__), Blueprint("help", __name__)

PAGE = 200

RATINGS = Shape(
    "Ratings",
    about="A page of a leaderboard; `seats` is 0 for all tables. `anchor` is the bot whose rating "
    "is 1500 by definition, empty if the mean is 1500 instead. Ratings include `deals` with "
    "`matches`. Of these, `corrected_deals` with `corrected_matches` are luck-adjusted, on average "
    "with `luck_coefficient` (null if there are none). `luck_pending` counts finished matches "
    "whose luck is not computed yet. `elo_pending` counts those that are not in live Elo yet.",
    more={
        "game": str,
        "seats": int,
        "anchor": str,
        **Shape("Included", Included).fields,
        "ratings": list[Rating],
        "next": str,
    },
)
ALL_VERSIONS = choice(
    "all_versions", "Whether to list all versions of a bot.", (False, True), False
)
ACTIVE_DAYS = number("active_days", "Only bots that played in the last days.", 1, query.MOST_DAYS)
FIND = text(
    "find",
    "Only bots with this text in their names. They keep their ranks.",
    "part of a bot's name",
    "[A-Za-z0-9._-]{0,40}",
    "",
)
SORT = choice(
    "sort",
    "The column to sort by. A minus sign before it reverses the order.",
    [*query.COLUMNS, *(f"-{name}" for name in query.COLUMNS)],
    query.USUAL,
)


@page.get("/ratings")
def show() -> str:
    sort = query.order(request.args.get("sort", "").strip())
    after = requested_number("after", 0) or 0
    with sources().read() as conn:
        table = query.ratings_query(conn)
        lines = query.lines_of(conn, table)
        found = sort.of(table.matching(lines))
        shown, following = page_of(found, PAGE, str(after))
        return render_template(
            "ratings/table/page.html",
            table=table,
            lines=shown,
            found=len(found),
            after=after,
            following=following,
            of=len(lines),
            trends=lambda: rating_history.trends(conn, table.game, table.seats),
            order=sort,
            columns=query.COLUMNS,
            scale=scale(lines),
            days=query.days_to_choose(table),
            anchor=fits.anchor_in(conn, table.game, table.seats),
            included=included_words(included(conn, table.game, table.seats)),
            takeaways=takeaways(fits.fitted(conn, table.game, table.seats).fit, lines),
            **neighbours(conn, table.game),
        )


@page.get("/api/ratings.csv")
@page.get("/api/ratings")
@answers(
    RATINGS,
    query=(GAME, SEATS, ALL_VERSIONS, ACTIVE_DAYS, FIND, SORT, limit(200), AFTER),
    rows="ratings",
)
def as_json(sort: str, limit: int, after: str, **asked: Any) -> dict[str, Any]:
    """A leaderboard, best first."""
    with sources().read() as conn:
        table = query.table_of(conn, **asked)
        rows = query.order(sort).of(table.matching(query.lines_of(conn, table)))
        anchor = fits.anchor_in(conn, table.game, table.seats)
        basis = included(conn, table.game, table.seats)
    lines, following = page_of(rows, limit, after)
    return RATINGS.tell(
        basis, game=table.game, seats=table.seats, anchor=anchor, ratings=lines, next=following
    )


def neighbours(conn: Connection, game: str) -> dict[str, list[str] | list[int]]:
    """Return the games with ratings and this one, and its numbers of seats."""
    rated = leaderboard.games(conn)
    return {
        "games": [name for name in GAMES if name in rated or name == game],
        "seat_counts": leaderboard.seat_counts(conn, game),
    }


def scale(lines: Sequence[Rating]) -> Scale:
    known = [
        (line.rating, line.plus_minus)
        for line in lines
        if line.rating is not None and line.plus_minus is not None
    ]
    return scale_of(known, START)


@help_page.get("/help/ratings", endpoint="ratings")
def explained() -> str:
    return render_template("ratings/table/help.html")
