"""The number of a match says in which month it was stored.

    number = month << 36 | place in the month

Months are counted from January 1970 (1), in UTC. So numbers go up as matches are stored, also from
month to month, and whatever is kept of a month is a range of numbers. Numbers below all months are
of month 0, "earlier".
"""

from __future__ import annotations

from datetime import UTC, datetime

from arena.base.errors import InvalidRequest

BITS = 36  # 68 billion matches a month, and numbers that a double holds exactly
EARLIER = 0
EARLIER_NAME = "earlier"
FIRST_YEAR = 1970
ASKED = 'a month looks like 2026-11 (or "earlier", for what was stored before there were months).'


def at(time: float) -> int:
    """The month of a moment (Unix seconds), at least 1."""
    moment = datetime.fromtimestamp(max(time, 0.0), UTC)
    return (moment.year - FIRST_YEAR) * 12 + moment.month


def of(number: int) -> int:
    """The month in which the match with this number was stored."""
    return number >> BITS


def first(month: int) -> int:
    """The lowest number of a month; a month ends where the next one begins."""
    return month << BITS


def bounds(month: int) -> tuple[int, int]:
    """The lowest and the highest number of a month."""
    return first(month), first(month + 1) - 1


def name(month: int) -> str:
    """As people write it: 2026-11."""
    if month == EARLIER:
        return EARLIER_NAME
    year, rest = divmod(month - 1, 12)
    return f"{year + FIRST_YEAR}-{rest + 1:02}"


def named(text: str) -> int:
    """The month that people write so. Raises InvalidRequest."""
    if text == EARLIER_NAME:
        return EARLIER
    try:
        moment = datetime.strptime(text, "%Y-%m").replace(tzinfo=UTC)
    except ValueError:
        raise InvalidRequest(f'"{text[:40]}" is no month: {ASKED}') from None
    if moment.year < FIRST_YEAR:
        raise InvalidRequest(f'"{text}" is before all months of an arena: {ASKED}')
    return at(moment.timestamp())
