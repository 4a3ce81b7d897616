"""Checks the tournaments for errors, and whether matches end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from arena.service.health.facts import Facts
from arena.service.health.finding import Finding, wrong
from arena.service.live.incidents import Incident

STUCK_S = 180.0  # without the end of any match, while there is something to play
NAMED = 5  # tournaments, at most
NEEDS = ("database", "Redis", "workers", "locks")


def check_tournaments(facts: Facts) -> Iterator[Finding]:
    """Whether errors stop tournaments. If matches of a tournament are still stored, only the worker
    with the error is at fault."""
    failing: dict[Incident, list[int]] = defaultdict(list)
    stopped = []
    for number, incident in sorted(facts.incidents.items()):
        if facts.stored.recent.get(number):
            failing[incident].append(number)
        else:
            stopped.append((number, incident))
    for incident, numbers in failing.items():
        yield _failing(incident, numbers)
    for number, incident in stopped[:NAMED]:
        yield wrong(
            "tournaments",
            f"Tournament {number} cannot progress ({incident.reason.rstrip('.')}).",
            "Read the workers' logs. If the error persists, cancel the tournament with "
            f"`arena tournament cancel {number}`. Other tournaments are not affected.",
            depends=NEEDS,
        )
    if len(stopped) > NAMED:
        yield wrong(
            "tournaments",
            f"{len(stopped) - NAMED} more tournaments cannot progress.",
            "Read the workers' logs for their numbers and errors.",
            depends=NEEDS,
        )


def _failing(incident: Incident, numbers: list[int]) -> Finding:
    one = len(numbers) == 1
    which = f"tournament{'' if one else 's'} {', '.join(map(str, numbers[:NAMED]))}"
    who = f"The worker {incident.worker}" if incident.worker else "A worker"
    told = f"failed on {which} ({incident.reason.rstrip('.')}). Other workers continue."
    return wrong(
        "failing workers",
        f"{who} {told}",
        "Read its log, then restart or remove that worker.",
        depends=NEEDS,
        public=f"A worker {told}",
    )


def check_progress(facts: Facts) -> Iterator[Finding]:
    """Whether matches end while tournaments run."""
    if facts.stored.silence > STUCK_S:
        yield wrong(
            "matches",
            f"A tournament is running, but no match has ended for over {STUCK_S / 60:g} minutes.",
            "Check whether its bots are slow to answer. Otherwise read the workers' logs.",
            depends=(*NEEDS, "beat", "hosts", "gateways", "hanging workers", "tournaments"),
        )
