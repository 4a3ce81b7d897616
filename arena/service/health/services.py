"""Checks the services that an arena needs: its database and Redis."""

from __future__ import annotations

from collections.abc import Iterator

from arena.base.errors import ArenaError, NotFound, SchemaMismatch, Unavailable
from arena.service.health.facts import Facts
from arena.service.health.finding import Finding, fine, unknown, wrong
from arena.service.live.redis_error import explain

RECONNECT_S = 15  # after a restart of Redis, within which all processes are back

REFUSALS = {
    "full": (
        "The disk of the database is full, so nothing can be stored.",
        "Make room there. Matches under way are played again until they can be stored.",
    ),
    "read-only": (
        "The database is read-only, so nothing can be stored.",
        "Let the arena write to its file and folder, or set ARENA_DATABASE_URL to the primary "
        "server.",
    ),
    "broken": (
        "The database cannot be written to, so nothing can be stored.",
        "Check its disk and its file. The workers' log has the error.",
    ),
}


def check_database(facts: Facts) -> Iterator[Finding]:
    """Whether the database answers and stores."""
    error, verdict = facts.database, facts.health.database
    if isinstance(error, SchemaMismatch):
        yield wrong("database", str(error), "Then start the arena's processes again.")
    elif isinstance(error, NotFound) and not facts.runs:
        yield unknown("database", "There is no database yet; `arena up` creates it.")
    elif error is not None and not isinstance(error, Unavailable):
        yield wrong("database", str(error), "Correct ARENA_DATABASE_URL.")
    elif error is not None:
        back = "Play continues by itself when the database is back."
        yield wrong("database", str(error), back, public=error.public)
    elif verdict in REFUSALS:
        yield wrong("database", *REFUSALS[verdict])
    elif verdict == "ok":
        yield fine("database", "It answers and stores results.")
    else:
        yield fine("database", "It answers.")


def check_locks(facts: Facts) -> Iterator[Finding]:
    """Whether a session keeps others from storing."""
    for each in facts.stored.blockers:
        waits = "1 other waits" if each.waiting == 1 else f"{each.waiting} others wait"
        yield wrong(
            "locks",
            f"A session of the database has held a lock for {each.seconds:.0f} s that {waits} for "
            f"(process {each.process} of PostgreSQL).",
            f"End it with `SELECT pg_terminate_backend({each.process})` if it does not end itself.",
            depends=("database",),
            public="A session of the database holds a lock that others wait for.",
        )


def check_redis(facts: Facts) -> Iterator[Finding]:
    """Whether Redis answers and accepts writes."""
    up_s = facts.vitals.up_s if facts.vitals else RECONNECT_S
    if isinstance(facts.redis, ArenaError):
        yield wrong("Redis", str(facts.redis), "Correct ARENA_REDIS_URL.")
    elif facts.redis is not None:
        told, public = explain(facts.redis, facts.place), explain(facts.redis)
        yield wrong("Redis", told.sentence, told.action, public=public.sentence)
    elif up_s < RECONNECT_S and not facts.health.workers:
        yield wrong(
            "Redis",
            f"Redis was started {up_s} s ago, so processes are still connecting to it.",
            f"Wait for {RECONNECT_S} s.",
        )
    elif facts.health.redis:
        yield fine("Redis", "It answers and accepts writes.")
    else:
        yield unknown("Redis", "It was not asked.")
