"""The columns of a rating table: what they are called, where they are explained, their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from arena.base.errors import InvalidRequest
from arena.store.reports.leaderboard import Rating


@dataclass(frozen=True)
class Column:
    """A column: `name` is what ?sort= calls it, `about` its place on the page of explanations.

    It sorts by `key`: the least first, or where it is `falling` the most. Lines without a value
    come last either way.
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
    """How a table is sorted; `turned` is the other way round than is usual for the column."""

    column: Column = COLUMNS[USUAL]
    turned: bool = False

    @property
    def falling(self) -> bool:
        """Whether the most comes first."""
        return self.column.falling != self.turned

    @property
    def name(self) -> str:
        """What stands in ?sort=."""
        return f"-{self.column.name}" if self.turned else self.column.name

    def of(self, lines: Sequence[Rating]) -> list[Rating]:
        """The lines in this order; equal ones stay as they were."""
        known = [line for line in lines if self.column.key(line) is not None]
        unknown = [line for line in lines if self.column.key(line) is None]
        return sorted(known, key=self.column.key, reverse=self.falling) + unknown

    def after_click(self, column: Column) -> str:
        """The ?sort= that a click on a column's head leads to: the same one turns round."""
        return Order(column, column == self.column and not self.turned).name


def order(text: str) -> Order:
    """The order with that name. Raises InvalidRequest."""
    name = text.removeprefix("-") or USUAL
    if name not in COLUMNS:
        known = ", ".join(COLUMNS)
        raise InvalidRequest(f'There is no column "{name[:40]}" to sort by; there are {known}.')
    return Order(COLUMNS[name], text.startswith("-"))
