"""The requested leaderboard, its columns and order, and the URLs of related ones."""

from collections.abc import Callable, Sequence
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
LONGEST = 40  # characters to search for


@dataclass(frozen=True)
class RatingsQuery:
    """A leaderboard of a game and a number of seats (0 for all tables).

    It lists newest or all versions, and all bots or those that played in the last `active_days`.
    With `find`, only bots with this text in their names are shown; they keep their ranks.
    """

    game: str
    seats: int = OVERALL
    all_versions: bool = False
    active_days: int | None = None
    find: str = ""

    def but(self, **changed: Any) -> dict[str, Any]:
        fields = asdict(replace(self, **changed))
        return {
            "game": fields["game"],
            "seats": fields["seats"] or None,
            "all_versions": "true" if fields["all_versions"] else None,
            "active_days": fields["active_days"],
            "find": fields["find"] or None,
        }

    def matching(self, lines: list[Rating]) -> list[Rating]:
        letters = self.find.lower()
        return [line for line in lines if letters in line.bot.lower()]


def ratings_query(conn: Connection) -> RatingsQuery:
    """Return the leaderboard of the current request. Raises InvalidRequest."""
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
    game: str | None,
    seats: int,
    all_versions: bool,
    active_days: int | None,
    find: str = "",
) -> RatingsQuery:
    """Return the leaderboard of that game, or of the first rated one. Raises InvalidRequest."""
    name = game_class(game).name if game else first_game(leaderboard.games(conn))
    if seats != OVERALL:
        game_class(name).check_seats(seats)
    if active_days is not None and active_days > MOST_DAYS:
        raise InvalidRequest(f"active_days is {active_days}, but the maximum is {MOST_DAYS}.")
    return RatingsQuery(name, seats, all_versions, active_days, find)


def days_to_choose(table: RatingsQuery) -> list[int]:
    return sorted({*DAYS, *([table.active_days] if table.active_days else [])})


def lines_of(conn: Connection, table: RatingsQuery) -> list[Rating]:
    days = table.active_days
    return leaderboard.table(
        conn,
        table.game,
        table.seats,
        all_versions=table.all_versions,
        # Rounded to the minute, so that cached tables stay valid for a while.
        active_since=None if days is None else instant.now() // MINUTE_S * MINUTE_S - days * DAY_S,
    )


def first_game(rated: list[str]) -> str:
    return next((name for name in GAMES if name in rated), next(iter(GAMES)))


@dataclass(frozen=True)
class Column:
    """A column: `name` is its name in ?sort=, `about` its anchor on the page of explanations. It
    sorts by `key`, ascending unless `falling`. Lines without a value always come last."""

    name: str
    title: str
    about: str
    key: Callable[[Rating], Any]
    falling: bool = False
    brief: str = ""  # for narrow screens


COLUMNS = {
    column.name: column
    for column in (
        Column("rank", "#", "rank", lambda line: line.rank),
        Column("range", "Range", "range", lambda line: (line.rank_low, line.rank_high)),
        Column("bot", "Bot", "versions", lambda line: line.bot.lower()),
        Column("rating", "Rating ± 95%", "rating", lambda line: line.rating, True, "Rating ±"),
        Column("elo", "Elo", "elo", lambda line: line.elo, True),
        Column("deals", "Deals", "deals", lambda line: line.deals, True),
        Column("matches", "Matches", "matches", lambda line: line.matches, True),
        Column("wins", "Wins", "wins", lambda line: line.wins, True),
        Column("shared_wins", "Shared", "wins", lambda line: line.shared_wins, True),
        Column("mean_points", "Points", "points", lambda line: line.mean_points),
        Column("faults", "Faults", "faults", lambda line: line.faults, True),
    )
}
USUAL = "rank"


@dataclass(frozen=True)
class Order:
    """The order of a table; `turned` reverses the default of the column."""

    column: Column = COLUMNS[USUAL]
    turned: bool = False

    @property
    def falling(self) -> bool:
        return self.column.falling != self.turned

    @property
    def name(self) -> str:
        return f"-{self.column.name}" if self.turned else self.column.name

    def of(self, lines: Sequence[Rating]) -> list[Rating]:
        """Return the lines in this order, by a stable sort."""
        known = [line for line in lines if self.column.key(line) is not None]
        unknown = [line for line in lines if self.column.key(line) is None]
        return sorted(known, key=self.column.key, reverse=self.falling) + unknown

    def after_click(self, column: Column) -> str:
        """Return the ?sort= after a click on a column's head; the same column reverses."""
        return Order(column, column == self.column and not self.turned).name


def order(text: str) -> Order:
    """Return the order with that name. Raises InvalidRequest."""
    name = text.removeprefix("-") or USUAL
    if name not in COLUMNS:
        known = ", ".join(COLUMNS)
        raise InvalidRequest(f'Cannot sort by "{name[:40]}". Choose from {known}.')
    return Order(COLUMNS[name], text.startswith("-"))
