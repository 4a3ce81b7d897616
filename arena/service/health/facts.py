"""How the arena is, in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, func, or_, select, text

from arena.base.config import Settings
from arena.base.errors import ArenaError
from arena.service.live.clocks import MachineClock
from arena.service.live.incidents import Incident
from arena.service.live.queues import PLAY, PROMPT
from arena.service.live.vitals import Vitals
from arena.store.matches.matches import finished_since
from arena.store.registry.bots import RegisteredBot, all_bots
from arena.store.tables import (
    archives,
    bots,
    cancelled_matches,
    matches,
    submissions,
    tournaments,
)
from arena.store.tournaments import hosted
from arena.store.tournaments.tournaments import UNDER_WAY, under_way

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


MINUTE_S = 60.0


@dataclass(frozen=True)
class Health:
    """The numbers that /api/health gives. Unknown ones are None: without Redis, or without the
    database.

    `database` is "ok" if something could be stored a moment ago, otherwise "full", "read-only",
    "broken" or "away", or None if that is unknown. `workers` play tournaments, `prompt_workers`
    do interactive work, some of them may be `hanging`. `sweeping`: tasks that look after
    tournaments get done. Some batches of matches are `queued`, some are `played`.
    `matches_per_second` is the mean over the last minute, `last_match` when one ended last (Unix
    seconds). `unrated` matches of tournaments under way are stored and not rated yet, since an
    earlier one of the schedule is still being played. Of the `hosted` versions of bots
    `hosted_connected` are connected by the `hosts` alive; `uploads_waiting` wait for a host.
    """

    database: str | None = None
    redis: bool = False
    gateways: int | None = None
    workers: int | None = None
    prompt_workers: int | None = None
    hanging: int | None = None
    sweeping: bool | None = None
    queued: int | None = None
    played: int | None = None
    bots: int | None = None
    connected: int | None = None
    running: int | None = None  # tournaments
    waiting: int | None = None  # tournaments that wait for their bots
    matches: int | None = None  # stored, of all tournaments
    matches_per_second: float | None = None
    last_match: float | None = None
    unrated: int | None = None
    hosted: int | None = None
    hosted_connected: int | None = None
    hosts: int | None = None
    uploads_waiting: int | None = None

    @property
    def hostless(self) -> bool:
        """Whether there are hosted versions and no host has any."""
        return bool(self.hosted) and self.hosted_connected == 0


@dataclass(frozen=True)
class Stored:
    """What the database knows. `recent` counts the matches that the tournaments under way stored
    in the last minute, by tournament; `hosted` are players that hosts are to connect."""

    numbers: Mapping[str, Any]
    bots: Sequence[RegisteredBot]
    under_way: Sequence[int]
    hosted: Sequence[int]
    recent: Mapping[int, int]
    blockers: Sequence[Blocker] = ()


NOTHING = Stored({}, (), (), (), {})  # what is known without a database


@dataclass(frozen=True)
class Facts:
    """All that the checks look at, at `now` (Unix seconds); `runs` says whether the arena was
    started. `database` and `redis` are the errors of these services, and Redis is at `place`.
    `incidents` are errors by tournament. Workers play `share` of their matches at once.
    `settings` belong to this machine."""

    health: Health
    now: float
    stored: Stored = NOTHING
    runs: bool = True
    database: ArenaError | None = None
    redis: Exception | None = None
    place: str = ""
    vitals: Vitals | None = None
    incidents: Mapping[int, Incident] = field(default_factory=dict)
    clocks: Sequence[MachineClock] = ()
    share: float = 1.0
    settings: Settings | None = None


def stored(conn: Connection, now: float) -> Stored:
    """What the database knows at `now` (Unix seconds)."""
    registered, wanted = all_bots(conn), [bot.player for bot in hosted.wanted(conn)]
    states: dict[str, int] = dict(conn.execute(_states()).all())
    counts = conn.execute(_counts()).one()
    recent, length = _recent(conn, now)
    numbers = {
        "bots": len(registered),
        "running": states.get("running", 0),
        "waiting": states.get("waiting", 0),
        "matches": int(counts.stored or 0),
        "matches_per_second": sum(recent.values()) / length,
        "last_match": counts.newest if counts.newest is not None else counts.archived,
        # What is rated next is a position, and positions before it may be cancelled.
        "unrated": int(counts.ahead or 0) + int(counts.over),
        "hosted": len(wanted),
        "uploads_waiting": int(counts.uploads),
    }
    going = list(under_way(conn))
    return Stored(numbers, registered, going, wanted, recent, blockers(conn))


def alive(vitals: Vitals) -> dict[str, Any]:
    """The numbers that Redis knows."""
    return {
        "gateways": vitals.gateways,
        "workers": vitals.workers[PLAY],
        "prompt_workers": vitals.workers[PROMPT],
        "hanging": vitals.hanging,
        "sweeping": vitals.sweeping,
        "queued": vitals.queued[PLAY] + vitals.queued[PROMPT],
        "played": vitals.played,
        "hosts": vitals.hosts,
    }


@cache  # making a query takes longer than carrying it out
def _states() -> Select[str, int]:
    row = tournaments.c
    query = select(row.state, func.count()).where(row.kind == "tournament")
    return query.where(row.state.in_(UNDER_WAY)).group_by(row.state)


@cache
def _counts() -> Select[Any]:
    """Matches that are `stored`, when the `newest` ended and the last of the `archived` ones, how
    many are `ahead` of those that are rated, of which so many are cancelled (`over`), and `uploads`
    that wait: in one row."""
    row, cancelled = tournaments.c, cancelled_matches.c
    rated, under_way = row.kind == "tournament", row.state.in_(UNDER_WAY)
    over = select(func.count()).where(cancelled.position < row.rated, rated, under_way)
    waiting = select(func.count()).where(submissions.c.state == "waiting", bots.c.retired.is_(None))
    parts = {
        "stored": select(func.sum(row.played)).where(rated),
        "newest": select(matches.c.finished).order_by(matches.c.number.desc()).limit(1),
        "archived": select(func.max(archives.c.ended)),
        "ahead": select(func.sum(row.played - row.rated)).where(rated, under_way),
        "over": over.join_from(tournaments, cancelled_matches),
        "uploads": waiting.join_from(submissions, bots, bots.c.id == submissions.c.bot),
    }
    return select(*(part.scalar_subquery().label(name) for name, part in parts.items()))


def _recent(conn: Connection, now: float) -> tuple[dict[int, int], float]:
    """Matches stored in the last minute, by tournament, and for how long these have been played
    in that minute."""
    row, since = tournaments.c, now - MINUTE_S
    recent = or_(row.state == "running", row.finished >= since)
    started: dict[int, float] = dict(
        conn.execute(select(row.id, row.started).where(recent, row.started.is_not(None))).all()
    )
    length = min(MINUTE_S, max(1.0, now - min(started.values(), default=now)))
    return {number: finished_since(conn, number, since) for number in started}, length
