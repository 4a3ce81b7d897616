"""The ranking of a daily deal, and the streaks of its players."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, func, or_, select

from arena.store.tables import accounts, daily_attempts, daily_deals, entrants, tournaments
from arena.tournaments.formats import FromSecret

LONGEST_STREAK = 1_000


@dataclass(frozen=True)
class DailyRank:
    """A finished attempt in the ranking of a deal. `name` is the account's, "" if it is not shown.
    `halves` counts 2 for each opponent finished ahead of, and 1 for a tie."""

    rank: int
    account: int
    name: str
    points: int
    halves: int
    forfeited: bool
    match: str


def ranking(conn: Connection, deal: int, limit: int, account: int | None = None) -> list[DailyRank]:
    """The first `limit` lines of the ranking of a deal, and the line of `account`, best first.

    Fewest penalty points win; equal points are ordered by opponents finished ahead of; equal
    results share a rank. Forfeits come last. Results after the opening do not count.
    """
    ranked = _ranked(deal).subquery()
    mine = ranked.c.account == account if account is not None else ranked.c.account.is_(None)
    shown = select(ranked).where(or_(ranked.c.place <= limit, mine)).order_by(ranked.c.place)
    return [_line(row) for row in conn.execute(shown)]


def count(conn: Connection, deal: int) -> int:
    """The number of lines of a ranking."""
    return conn.scalar(select(func.count()).select_from(_ranked(deal).subquery())) or 0


def _ranked(deal: int) -> Select[Any]:
    row, result, table = daily_attempts.c, entrants.c, tournaments.c
    best = (result.forfeits, result.points, result.halves.desc())
    return (
        select(row.account, row.tournament, result.points, result.halves, result.forfeits)
        .add_columns(accounts.c.name, accounts.c.listed, table.secret)
        .add_columns(func.rank().over(order_by=best).label("rank"))
        .add_columns(func.row_number().over(order_by=(*best, row.tournament)).label("place"))
        .join_from(daily_attempts, daily_deals)
        .join(accounts, accounts.c.id == row.account)
        .join(tournaments, table.id == row.tournament)
        .join(entrants, (result.tournament == row.tournament) & (result.player == row.player))
        .where(row.deal == deal, result.matches == 1)
        .where(or_(daily_deals.c.opened.is_(None), table.finished <= daily_deals.c.opened))
    )


def _line(row: Row[Any]) -> DailyRank:
    return DailyRank(
        row.rank,
        row.account,
        row.name if row.listed else "",
        row.points,
        row.halves,
        bool(row.forfeits),
        FromSecret(row.secret, row.tournament).match_id(0),
    )


def streak(conn: Connection, account: int, today: int) -> int:
    """The number of days in a row, up to today or yesterday, on which an account finished a daily
    deal of any game without forfeiting."""
    row, result = daily_attempts.c, entrants.c
    query = (
        select(daily_deals.c.day)
        .distinct()
        .join_from(daily_attempts, daily_deals)
        .join(entrants, (result.tournament == row.tournament) & (result.player == row.player))
        .where(row.account == account, result.matches == 1, result.forfeits == 0)
        .order_by(daily_deals.c.day.desc())
        .limit(LONGEST_STREAK)
    )
    return days_in_a_row(conn.scalars(query), today)


def days_in_a_row(days: Iterable[int], today: int) -> int:
    """The length of the streak at the start of different days, newest first. Until the day is over,
    a streak up to yesterday continues."""
    length = 0
    for day in days:
        if length == 0 and day == today - 1:
            today -= 1
        if day != today - length:
            break
        length += 1
    return length
