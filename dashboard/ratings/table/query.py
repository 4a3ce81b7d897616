"""Which rating table a reader asks for, and the addresses of its neighbours."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from flask import request
from sqlalchemy import Connection

from arena.base import instant
from arena.base.errors import InvalidRequest
from arena.games.rules import GAMES, game_class
from arena.store.reports import leaderboard
from arena.store.reports.leaderboard import OVERALL, Rating
from dashboard.urls import requested_flag, requested_number

DAY_S, MINUTE_S = 86_400.0, 60.0
DAYS = (1, 7, 30)
MOST_DAYS = 36_500
LONGEST = 40  # letters of a bot's name


@dataclass(frozen=True)
class RatingsQuery:
    """A rating table: of a game, at tables of so many seats or (0) of any, newest versions or
    all, and of all bots or those that have played within so many days.

    With `find` only those lines are shown whose bot's name has these letters in it; they keep
    their ranks.
    """

    game: str
    seats: int = OVERALL
    all_versions: bool = False
    active_days: int | None = None
    find: str = ""

    def but(self, **changed: Any) -> dict[str, Any]:
        """The query of an address for this table, or for one that differs in some respect."""
        fields = asdict(replace(self, **changed))
        return {
            "game": fields["game"],
            "seats": fields["seats"] or None,
            "all_versions": "true" if fields["all_versions"] else None,
            "active_days": fields["active_days"],
            "find": fields["find"] or None,
        }

    def matching(self, lines: list[Rating]) -> list[Rating]:
        """Those lines that are looked for."""
        letters = self.find.lower()
        return [line for line in lines if letters in line.bot.lower()]


def ratings_query(conn: Connection) -> RatingsQuery:
    """The table that the query string asks for. Raises InvalidRequest."""
    return table_of(
        conn,
        request.args.get("game", "").strip(),
        requested_number("seats", OVERALL) or OVERALL,
        requested_flag("all_versions"),
        requested_number("active_days", None, lowest=1),
        request.args.get("find", "").strip()[:LONGEST],
    )


def table_of(
    conn: Connection,
    named: str,
    seats: int,
    all_versions: bool,
    active_days: int | None,
    find: str = "",
) -> RatingsQuery:
    """The table of the game with that name, or of the first one. Raises InvalidRequest."""
    game = game_class(named).name if named else first_game(leaderboard.games(conn))
    if seats != OVERALL:
        game_class(game).check_seats(seats)
    if active_days is not None and active_days > MOST_DAYS:
        raise InvalidRequest(f"active_days is {active_days}; it is at most {MOST_DAYS}.")
    return RatingsQuery(game, seats, all_versions, active_days, find)


def days_to_choose(table: RatingsQuery) -> list[int]:
    """Within how many days bots have played, to choose from; what was chosen is among them."""
    return sorted({*DAYS, *([table.active_days] if table.active_days else [])})


def lines_of(conn: Connection, table: RatingsQuery) -> list[Rating]:
    """The lines of that table, best first."""
    days = table.active_days
    return leaderboard.table(
        conn,
        table.game,
        table.seats,
        all_versions=table.all_versions,
        # To the minute, so that a table that was made a moment ago is still the same.
        active_since=None if days is None else instant.now() // MINUTE_S * MINUTE_S - days * DAY_S,
    )


def first_game(rated: list[str]) -> str:
    """The game that is shown where none is asked for: the first that has ratings."""
    return next((name for name in GAMES if name in rated), next(iter(GAMES)))
