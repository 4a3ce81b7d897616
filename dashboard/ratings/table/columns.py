"""The columns of a leaderboard: titles, explanations and sorting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from arena.base.errors import InvalidRequest
from arena.store.reports.leaderboard import Rating


@dataclass(frozen=True)
class Column:
    """A column: `name` is its name in ?sort=, `about` its anchor on the page of explanations.

    It sorts by `key`, ascending unless `falling`. Lines without a value always come last.
    """

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
        """Whether the order is descending."""
        return self.column.falling != self.turned

    @property
    def name(self) -> str:
        """The value of ?sort=."""
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
