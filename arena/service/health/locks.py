"""Sessions of PostgreSQL that hold a lock which others wait for."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, text

LONG_S = 3.0  # the arena's own transactions hold a lock for milliseconds

_BLOCKERS = text(
    """
    SELECT holder.pid AS process, count(DISTINCT waiter.pid) AS waiting,
        max(extract(epoch FROM clock_timestamp() - holder.xact_start)) AS seconds
    FROM pg_stat_activity AS waiter
    CROSS JOIN LATERAL unnest(pg_blocking_pids(waiter.pid)) AS blocking(pid)
    JOIN pg_stat_activity AS holder ON holder.pid = blocking.pid
    WHERE waiter.wait_event_type = 'Lock'
        AND holder.xact_start < clock_timestamp() - make_interval(secs => :long)
    GROUP BY holder.pid ORDER BY 3 DESC
    """
)


@dataclass(frozen=True)
class Blocker:
    """A session by its server process, how many others wait for it, and for how long its
    transaction has been open."""

    process: int
    waiting: int
    seconds: float


def blockers(conn: Connection) -> tuple[Blocker, ...]:
    """The sessions that others wait for; none of SQLite, which has one writer at a time."""
    if conn.dialect.name != "postgresql":
        return ()
    rows = conn.execute(_BLOCKERS, {"long": LONG_S})
    return tuple(Blocker(row.process, row.waiting, float(row.seconds)) for row in rows)
