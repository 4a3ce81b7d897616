"""How the arena is, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, func, or_, select

from arena.live.queues import PLAY, PROMPT
from arena.live.vitals import Vitals
from arena.store.matches.matches import finished_since
from arena.store.tables import (
    archives,
    bots,
    cancelled_matches,
    matches,
    submissions,
    tournaments,
)
from arena.store.tournaments.tournaments import UNDER_WAY
from arena.store.writable import Verdict

MINUTE_S = 60.0


@dataclass(frozen=True)
class Health:
    """How the arena is now. What only Redis knows is None where it does not answer.

    `database` is "ok" when something could be stored a moment ago, else "full", "read-only" or
    "broken", or None when that is unknown. `workers` play tournaments, `prompt_workers` what
    somebody waits for; of all of them some may be `hanging`. `sweeping`: tasks that
    look after tournaments get done. Of batches of matches some are `queued`, some are being
    `played`; `matches_per_second` is the mean over the last minute, `last_match` when one ended
    last (Unix seconds). `unrated` matches of tournaments under way are stored and wait for their
    turn to be rated: one that comes before them in the schedule is still being played. So many
    versions are `hosted`, that is, hosts are to connect them, of which some are `hosted_connected`;
    so many `hosts` are alive, and so many uploads wait for one (`uploads_waiting`).
    """

    database: str | None
    redis: bool
    gateways: int | None
    workers: int | None
    prompt_workers: int | None
    hanging: int | None
    sweeping: bool | None
    queued: int | None
    played: int | None
    bots: int
    connected: int | None
    running: int  # tournaments
    waiting: int  # tournaments that wait for their bots
    matches: int  # stored, of all tournaments
    matches_per_second: float
    last_match: float | None
    unrated: int
    hosted: int = 0
    hosted_connected: int | None = None
    hosts: int | None = None
    uploads_waiting: int = 0

    @property
    def hostless(self) -> bool:
        """Whether there are hosted versions and no host has any."""
        return self.hosted > 0 and self.hosted_connected == 0


def health(
    conn: Connection,
    vitals: Vitals | None,
    bots: int,
    connected: int | None,
    now: float,
    database: Verdict = None,
    hosted: tuple[int, int | None] = (0, None),
) -> Health:
    """The numbers as they are now. Of so many bots so many are connected, as far as is known; and
    of the versions that are `hosted`."""
    states: dict[str, int] = dict(conn.execute(_states()).all())
    counts = conn.execute(_counts()).one()
    return Health(
        database=database,
        redis=vitals is not None,
        gateways=vitals.gateways if vitals else None,
        workers=vitals.workers[PLAY] if vitals else None,
        prompt_workers=vitals.workers[PROMPT] if vitals else None,
        hanging=vitals.hanging if vitals else None,
        sweeping=vitals.sweeping if vitals else None,
        queued=vitals.queued[PLAY] + vitals.queued[PROMPT] if vitals else None,
        played=vitals.played if vitals else None,
        bots=bots,
        connected=connected,
        running=states.get("running", 0),
        waiting=states.get("waiting", 0),
        matches=int(counts.stored or 0),
        matches_per_second=_per_second(conn, now),
        last_match=counts.newest if counts.newest is not None else counts.archived,
        # What is rated next is a position, and positions before it may be cancelled.
        unrated=int(counts.ahead or 0) + int(counts.over),
        hosted=hosted[0],
        hosted_connected=hosted[1],
        hosts=vitals.hosts if vitals else None,
        uploads_waiting=int(counts.uploads),
    )


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


def _per_second(conn: Connection, now: float) -> float:
    """Over all that was played in the last minute, or since the first of it began."""
    row, since = tournaments.c, now - MINUTE_S
    recent = or_(row.state == "running", row.finished >= since)
    recently_played = conn.execute(
        select(row.id, row.started).where(recent, row.started.is_not(None))
    ).all()
    if not recently_played:
        return 0.0
    length = min(MINUTE_S, max(1.0, now - min(started for _, started in recently_played)))
    ended = sum(finished_since(conn, number, since) for number, _ in recently_played)
    return float(ended / length)
