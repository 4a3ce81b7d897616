"""The numbers that describe the arena's health."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, case, func, or_, select, text

from arena.base.config import Settings
from arena.base.errors import ArenaError
from arena.service.live.clocks import MachineClock
from arena.service.live.hosting import HostFailure
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
    """A database session that blocks others: its server process, the number of sessions that wait
    for it, and the age of its transaction."""

    process: int
    waiting: int
    seconds: float


def blockers(conn: Connection) -> tuple[Blocker, ...]:
    """The sessions that others wait for. SQLite has none, since it has one writer at a time."""
    if conn.dialect.name != "postgresql":
        return ()
    rows = conn.execute(_BLOCKERS, {"long": LONG_S})
    return tuple(Blocker(row.process, row.waiting, float(row.seconds)) for row in rows)


MINUTE_S = 60.0


@dataclass(frozen=True)
class Health:
    """The numbers of /api/health. None means unknown, because Redis or the database is away."""

    database: str | None = None  # "ok" after a test write, "full", "read-only", "broken" or "away"
    redis: bool = False  # whether it answers
    gateways: int | None = None
    workers: int | None = None  # that play tournaments
    prompt_workers: int | None = None  # that do interactive work
    hanging: int | None = None  # workers of any kind
    sweeping: bool | None = None  # whether sweeps are completed
    queued: int | None = None  # batches that wait for a worker
    played: int | None = None  # batches
    bots: int | None = None
    connected: int | None = None  # bots
    running: int | None = None  # tournaments
    waiting: int | None = None  # tournaments that wait for their bots
    matches: int | None = None  # stored, of all tournaments
    matches_per_second: float | None = None  # mean over the last minute
    last_match: float | None = None  # when the last match ended (Unix seconds)
    unrated: int | None = None  # stored matches that wait for an earlier one of the schedule
    hosted: int | None = None  # bot versions that hosts have to connect
    hosted_connected: int | None = None  # of these
    hosts: int | None = None
    uploads_waiting: int | None = None  # for a host

    @property
    def hostless(self) -> bool:
        """Whether there are hosted versions, and none is connected."""
        return bool(self.hosted) and self.hosted_connected == 0


@dataclass(frozen=True)
class Stored:
    """Facts from the database. `recent` maps tournaments to the number of matches stored in the
    last minute. `hosted` are the players that hosts have to connect."""

    numbers: Mapping[str, Any]
    bots: Sequence[RegisteredBot]
    under_way: Sequence[int]
    hosted: Sequence[int]
    recent: Mapping[int, int]
    blockers: Sequence[Blocker] = ()
    silence: float = 0.0  # seconds without the end of any match while tournaments are running


NOTHING = Stored({}, (), (), (), {})  # without a database


@dataclass(frozen=True)
class Facts:
    """The input of all checks."""

    health: Health
    now: float  # Unix seconds
    stored: Stored = NOTHING
    runs: bool = True  # whether the arena was started
    database: ArenaError | None = None  # its error
    redis: Exception | None = None  # its error
    place: str = ""  # of Redis
    vitals: Vitals | None = None
    incidents: Mapping[int, Incident] = field(default_factory=dict)  # by tournament
    host_failures: Sequence[HostFailure] = ()
    clocks: Sequence[MachineClock] = ()
    share: float = 1.0  # of their usual matches that workers play at once
    settings: Settings | None = None  # of this machine


def stored(conn: Connection, now: float) -> Stored:
    """Reads the facts from the database. `now` is in Unix seconds."""
    registered = all_bots(conn)
    wanted = sorted(hosted.among(conn, [bot.player for bot in hosted.wanted(conn)]))
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
        # `rated` is a position in the schedule, and earlier positions may be cancelled.
        "unrated": int(counts.ahead or 0) + int(counts.over),
        "hosted": len(wanted),
        "uploads_waiting": int(counts.uploads),
    }
    going = list(under_way(conn))
    since = max(counts.begun or now, numbers["last_match"] or 0.0)
    silence = max(0.0, now - since)
    return Stored(numbers, registered, going, wanted, recent, blockers(conn), silence)


def alive(vitals: Vitals) -> dict[str, Any]:
    """The numbers from Redis."""
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


@cache  # building the query takes longer than running it
def _states() -> Select[str, int]:
    row = tournaments.c
    query = select(row.state, func.count()).where(row.kind == "tournament")
    return query.where(row.state.in_(UNDER_WAY)).group_by(row.state)


@cache
def _counts() -> Select[Any]:
    """One row with the number of `stored` matches, the end times of the `newest` stored and the
    last `archived` match, the number of waiting `uploads`, and when the first running tournament
    `begun`, where a resumed one counts from then on. `ahead` is the number of played
    matches minus the rated positions, `over` the number of cancelled ones among these positions."""
    row, cancelled = tournaments.c, cancelled_matches.c
    rated, under_way = row.kind == "tournament", row.state.in_(UNDER_WAY)
    over = select(func.count()).where(cancelled.position < row.rated, rated, under_way)
    resumed = case((row.started > row.waiting_since, row.started), else_=row.waiting_since)
    waiting = select(func.count()).where(submissions.c.state == "waiting", bots.c.retired.is_(None))
    parts = {
        "stored": select(func.sum(row.played)).where(rated),
        "newest": select(matches.c.finished).order_by(matches.c.number.desc()).limit(1),
        "begun": select(func.min(resumed)).where(rated, row.state == "running"),
        "archived": select(func.max(archives.c.ended)),
        "ahead": select(func.sum(row.played - row.rated)).where(rated, under_way),
        "over": over.join_from(tournaments, cancelled_matches),
        "uploads": waiting.join_from(submissions, bots, bots.c.id == submissions.c.bot),
    }
    return select(*(part.scalar_subquery().label(name) for name, part in parts.items()))


def _recent(conn: Connection, now: float) -> tuple[dict[int, int], float]:
    """The number of matches stored in the last minute, by tournament, and for how many seconds of
    it tournaments were played."""
    row, since = tournaments.c, now - MINUTE_S
    recent = or_(row.state == "running", row.finished >= since)
    started: dict[int, float] = dict(
        conn.execute(select(row.id, row.started).where(recent, row.started.is_not(None))).all()
    )
    length = min(MINUTE_S, max(1.0, now - min(started.values(), default=now)))
    return {number: finished_since(conn, number, since) for number in started}, length
