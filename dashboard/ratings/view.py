"""The rating table of a game, at tables of any number of seats or of one."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

from flask import Blueprint, render_template, request

from arena.rules import GAMES, game_class
from arena.store import ratings
from arena.store.ratings import OVERALL, Rating
from dashboard.api.answer import answers, page_of
from dashboard.api.parameters import AFTER, GAME, SEATS, choice, limit, number
from dashboard.api.shape import Shape
from dashboard.sources import sources
from dashboard.urls import asked_number

page = Blueprint("ratings", __name__)

DAY_S = 86400.0

RATINGS = Shape(
    "Ratings",
    about="A page of a rating table, best first; `seats` is 0 for tables of any number.",
    more={"game": str, "seats": int, "ratings": list[Rating], "next": str},
)
ALL_VERSIONS = choice(
    "all_versions", "All versions of a bot, not its newest only.", (False, True), False, "boolean"
)
ACTIVE_DAYS = number("active_days", "Only who has played in so many days.", 1, 36500)


@dataclass(frozen=True)
class Table:
    """A rating table, and which others there are."""

    game: str
    seats: int  # 0: any number
    lines: list[Rating]
    games: list[str]
    seat_counts: list[int]


@page.get("/ratings")
def show() -> str:
    """The table as a page."""
    return render_template("ratings/page.html", table=asked_table())


@page.get("/api/ratings.csv")
@page.get("/api/ratings")
@answers(
    RATINGS,
    query=(GAME, SEATS, ALL_VERSIONS, ACTIVE_DAYS, limit(200), AFTER),
    rows="ratings",
)
def as_json(
    game: str | None,
    seats: int,
    all_versions: bool,
    active_days: int | None,
    limit: int,
    after: str,
) -> dict[str, Any]:
    """A rating table, best first."""
    since = None if active_days is None else time.time() - DAY_S * active_days
    table = table_of(game or "", seats, all_versions=all_versions, active_since=since)
    lines, following = page_of(table.lines, limit, after)
    told = [asdict(line) for line in lines]
    return RATINGS.tell(game=table.game, seats=table.seats, ratings=told, next=following)


def asked_table() -> Table:
    """The table that the query string asks for. Raises InvalidRequest."""
    seats = asked_number("seats", OVERALL) or OVERALL
    return table_of(request.args.get("game", "").strip(), seats)


def table_of(named: str, seats: int, **chosen: Any) -> Table:
    """A game's table, or that of the first game; `chosen` as `ratings.table` has it.

    Raises InvalidRequest.
    """
    if seats != OVERALL:
        game_class(named or next(iter(GAMES))).check_seats(seats)
    with sources().read() as conn:
        rated = ratings.games(conn)
        game = game_class(named).name if named else first_game(rated)
        return Table(
            game=game,
            seats=seats,
            lines=ratings.table(conn, game, seats, **chosen),
            games=[name for name in GAMES if name in rated or name == game],
            seat_counts=ratings.seat_counts(conn, game),
        )


def first_game(rated: list[str]) -> str:
    """The game that is shown where none is asked for: the first that has ratings."""
    return next((name for name in GAMES if name in rated), next(iter(GAMES)))
