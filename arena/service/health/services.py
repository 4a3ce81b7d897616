"""Checks the services that an arena needs, its database and Redis, and compares the clocks of all
machines with the database's."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from arena.base.errors import ArenaError, NotFound, SchemaMismatch, Unavailable
from arena.base.text import duration
from arena.service.health.facts import Facts
from arena.service.health.finding import Finding, fine, unknown, wrong
from arena.service.live.clocks import REDIS, MachineClock
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

CLOCKS = "clocks"
MOST_APART_S = 2.0  # as in deploy/prometheus/rules.yaml
SET_UP_NTP = (
    "Set up NTP on that machine (`timedatectl set-ntp true`). Stored times are not affected, "
    "because they come from the database's clock."
)


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


def check_clocks(found: Sequence[MachineClock]) -> Iterator[Finding]:
    """Compares the reported clocks, one machine at a time."""
    by_host = defaultdict[str, list[MachineClock]](list)
    for clock in found:
        by_host[clock.host].append(clock)
    apart = {host: _largest(clocks) for host, clocks in by_host.items()}
    bad = {host: ahead for host, ahead in apart.items() if abs(ahead) > MOST_APART_S}
    # Redis often shares a machine with other processes, so it does not count as one more.
    ours = {clock.host: apart[clock.host] for clock in found if clock.process != REDIS}
    named = sorted(bad.items())
    if len(ours) > 1 and ours.keys() <= bad.keys() and _agree(ours):
        ahead = next(iter(ours.values()))
        yield _of_the_database(ahead)
        named = [(host, each) for host, each in named if not _agree({"": ahead, host: each})]
    yield from (_of_host(host, by_host[host], ahead) for host, ahead in named)
    if found and not bad:
        yield fine(CLOCKS, "The clocks of all machines agree with the database's.")


def _largest(clocks: Sequence[MachineClock]) -> float:
    return max((clock.ahead_s for clock in clocks), key=abs)


def _agree(apart: Mapping[str, float]) -> bool:
    return max(apart.values()) - min(apart.values()) <= MOST_APART_S


def _of_host(host: str, clocks: Sequence[MachineClock], ahead: float) -> Finding:
    processes = ", ".join(sorted(clock.process for clock in clocks))
    says = f"is {_apart(ahead)} the database's."
    return wrong(
        CLOCKS,
        f"The clock of {host} ({processes}) {says}",
        SET_UP_NTP,
        depends=("Redis", "database"),
        public=f"The clock of a machine {says}",
    )


def _of_the_database(ahead: float) -> Finding:
    sentence = f"The clock of the database's machine is {_apart(-ahead)} all other clocks."
    advice = (
        "Set up NTP on that machine (`timedatectl set-ntp true`). Stored times come from its clock."
    )
    return wrong(CLOCKS, sentence, advice, depends=("Redis", "database"), public=sentence)


def _apart(ahead: float) -> str:
    return f"{duration(abs(ahead))} {'ahead of' if ahead > 0 else 'behind'}"
