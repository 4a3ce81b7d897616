"""Finds the matches of a time span by their numbers.

Numbers follow the order of storing, and matches are stored soon after they end. So bisection along
the numbers finds the matches after a moment, without an index of times. The result is approximate:
a match that was stored late has a higher number than its time suggests. Callers extend their range
by LATE_S on both sides, and then compare the times.
"""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, select

from arena.store.matches import months
from arena.store.tables import matches

LATE_S = 3600.0  # workers store matches within seconds unless the database is unavailable

_NEXT = (
    select(matches.c.number, matches.c.finished)
    .where(matches.c.number >= bindparam("lowest"), matches.c.number < bindparam("end"))
    .order_by(matches.c.number)
    .limit(1)
)
_LAST = (
    select(matches.c.number)
    .where(matches.c.number < bindparam("end"))
    .order_by(matches.c.number.desc())
    .limit(1)
)


def number_at(conn: Connection, moment: float) -> int:
    """A number that separates the matches that ended before a moment (Unix seconds) from later
    ones, except for matches that were stored late."""
    end = months.first(months.at(moment) + 1)
    while (last := conn.scalar(_LAST, {"end": end})) is not None:
        start = months.first(months.of(last))
        found = _bisect(conn, start, last + 1, moment)
        if found > start:
            return found
        end = start  # all of this month are later: search the months before
    return end


def _bisect(conn: Connection, lowest: int, end: int, moment: float) -> int:
    while lowest < end:
        middle = (lowest + end) // 2
        row = conn.execute(_NEXT, {"lowest": middle, "end": end}).first()
        if row is None or row.finished >= moment:
            end = middle
        else:
            lowest = row.number + 1
    return lowest
