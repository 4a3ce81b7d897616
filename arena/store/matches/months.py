"""The number of a match contains the month in which it was stored.

    number = month << 36 | place in the month

Months are counted from January 1970 (1), in UTC. So numbers increase in the order of storing, even
across months, and a month is a range of numbers. Numbers below all months belong to month 0,
"earlier".
"""

from __future__ import annotations

from datetime import UTC, datetime

from arena.base.errors import InvalidRequest

BITS = 36  # 68 billion matches per month; doubles represent the numbers exactly
EARLIER = 0
EARLIER_NAME = "earlier"
FIRST_YEAR = 1970
ASKED = 'Write a month like 2026-11 (or "earlier" for matches stored before there were months).'


def at(time: float) -> int:
    """The month of a time (Unix seconds), at least 1."""
    moment = datetime.fromtimestamp(max(time, 0.0), UTC)
    return (moment.year - FIRST_YEAR) * 12 + moment.month


def of(number: int) -> int:
    """The month in which the match with this number was stored."""
    return number >> BITS


def first(month: int) -> int:
    """The lowest number of a month; its range ends where the next month starts."""
    return month << BITS


def bounds(month: int) -> tuple[int, int]:
    """The lowest and highest number of a month."""
    return first(month), first(month + 1) - 1


def name(month: int) -> str:
    """The month as text, for example 2026-11."""
    if month == EARLIER:
        return EARLIER_NAME
    year, rest = divmod(month - 1, 12)
    return f"{year + FIRST_YEAR}-{rest + 1:02}"


def named(text: str) -> int:
    """The month with this name. Raises InvalidRequest."""
    if text == EARLIER_NAME:
        return EARLIER
    try:
        moment = datetime.strptime(text, "%Y-%m").replace(tzinfo=UTC)
    except ValueError:
        raise InvalidRequest(f'"{text[:40]}" is not a month. {ASKED}') from None
    if moment.year < FIRST_YEAR:
        raise InvalidRequest(f'"{text}" is before the first month, 1970-01. {ASKED}')
    return at(moment.timestamp())
