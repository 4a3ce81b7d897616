"""Checks the services that an arena needs: its database and Redis."""

from __future__ import annotations

from collections.abc import Iterator

from arena.base.errors import ArenaError, NotFound, SchemaMismatch, Unavailable
from arena.service.health.facts import Facts
from arena.service.health.finding import Finding, fine, unknown, wrong
from arena.service.live.redis_error import explain
from arena.store.database_error import Damaged

RECONNECT_S = 15  # within which all processes reconnect after a restart of Redis

REFUSALS = {
    "full": (
        "The disk of the database is full, so nothing can be stored.",
        "Free some space there. Matches in play are replayed until they can be stored.",
    ),
    "read-only": (
        "The database is read-only, so nothing can be stored.",
        "Make its file and folder writable for the arena, or set ARENA_DATABASE_URL to the "
        "primary server.",
    ),
    "broken": (
        "The database cannot be written to, so nothing can be stored.",
        "Check its disk and its file. The error is in the workers' logs.",
    ),
}


def check_database(facts: Facts) -> Iterator[Finding]:
    """Whether the database answers and stores."""
    error, verdict = facts.database, facts.health.database
    if isinstance(error, SchemaMismatch):
        yield wrong("database", str(error), "Then start the arena's processes again.")
    elif isinstance(error, NotFound) and not facts.runs:
        yield unknown("database", "There is no database yet. `arena up` creates it.")
    elif error is not None and not isinstance(error, Unavailable):
        yield wrong("database", str(error), "Correct ARENA_DATABASE_URL.")
    elif isinstance(error, Damaged):
        yield wrong("database", str(error), "Then start the arena again.", public=error.public)
    elif error is not None:
        advice = "Play resumes automatically when the database is back."
        yield wrong("database", str(error), advice, public=error.public)
    elif verdict in REFUSALS:
        yield wrong("database", *REFUSALS[verdict])
    elif verdict == "ok":
        yield fine("database", "It answers and stores results.")
    else:
        yield fine("database", "It answers.")


def check_locks(facts: Facts) -> Iterator[Finding]:
    """Whether a database session blocks others."""
    for each in facts.stored.blockers:
        others = "1 other session" if each.waiting == 1 else f"{each.waiting} other sessions"
        yield wrong(
            "locks",
            f"A database session (PostgreSQL process {each.process}) has blocked {others} for "
            f"{each.seconds:.0f} s.",
            f"If it does not end soon, run `SELECT pg_terminate_backend({each.process})`.",
            depends=("database",),
            public="A database session blocks others.",
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
            f"Redis was started {up_s} s ago, so processes are still reconnecting.",
            f"Wait {RECONNECT_S} s.",
        )
    elif facts.health.redis:
        yield fine("Redis", "It answers and accepts writes.")
    else:
        yield unknown("Redis", "It was not asked.")
