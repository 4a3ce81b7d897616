"""Where in the order of storing the matches of a day begin.

Numbers go up as matches are stored, and matches are stored soon after they end. So what ended at a
moment or later is found by bisection along the numbers, without an index of times. It is found
nearly: a match that was kept for a while before it was stored has a higher number than its time
would give. Who asks looks LATE_S further on both sides, and then at the times themselves.
"""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, select

from arena.store.matches import months
from arena.store.tables import matches

LATE_S = 3600.0  # a worker stores what it has played within seconds, unless the database is away

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
    """A number below which all matches ended before a moment (Unix seconds), and from which on all
    ended then or later, but for those that were stored late."""
    end = months.first(months.at(moment) + 1)
    while (last := conn.scalar(_LAST, {"end": end})) is not None:
        start = months.first(months.of(last))
        found = _bisect(conn, start, last + 1, moment)
        if found > start:
            return found
        end = start  # all of that month are later: those of the months before it, too?
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
