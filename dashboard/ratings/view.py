"""The rating table of a game, at tables of any number of seats or of one."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, jsonify, render_template, request

from arena.rules import GAMES, game_class
from arena.store import ratings
from arena.store.ratings import OVERALL, Rating
from dashboard.sources import sources
from dashboard.urls import asked_number

page = Blueprint("ratings", __name__)


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


@page.get("/api/ratings")
def as_json() -> Response:
    """A rating table, best first; ?game= and ?seats= (0: any number of seats) choose it."""
    table = asked_table()
    return jsonify(game=table.game, seats=table.seats, ratings=table.lines)


def asked_table() -> Table:
    """The table that the query string asks for. Raises InvalidRequest."""
    seats = asked_number("seats", OVERALL) or OVERALL
    named = request.args.get("game", "").strip()
    if seats != OVERALL:
        game_class(named or next(iter(GAMES))).check_seats(seats)
    with sources().read() as conn:
        rated = ratings.games(conn)
        game = game_class(named).name if named else first_game(rated)
        return Table(
            game=game,
            seats=seats,
            lines=ratings.table(conn, game, seats),
            games=[name for name in GAMES if name in rated or name == game],
            seat_counts=ratings.seat_counts(conn, game),
        )


def first_game(rated: list[str]) -> str:
    """The game that is shown where none is asked for: the first that has ratings."""
    return next((name for name in GAMES if name in rated), next(iter(GAMES)))
