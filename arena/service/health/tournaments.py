"""Checks the tournaments: errors of single ones, and whether matches end at all."""

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
    """Whether errors keep tournaments from going on. As long as matches of one are stored, only
    the worker that had the error is to blame."""
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
            f"Tournament {number} cannot go on: {incident.reason.rstrip('.')}.",
            "Read the workers' logs. If it stays like this, "
            f"`arena tournament cancel {number}` ends it. The others go on.",
            depends=NEEDS,
        )
    if len(stopped) > NAMED:
        yield wrong(
            "tournaments",
            f"{len(stopped) - NAMED} more tournaments cannot go on.",
            "Read the workers' logs, which name them.",
            depends=NEEDS,
        )


def _failing(incident: Incident, numbers: list[int]) -> Finding:
    one = len(numbers) == 1
    which = f"tournament{'' if one else 's'} {', '.join(map(str, numbers[:NAMED]))}"
    who = f"The worker {incident.worker}" if incident.worker else "A worker"
    told = f"failed on {which} ({incident.reason.rstrip('.')}). Other workers play on."
    return wrong(
        "failing workers",
        f"{who} {told}",
        "Read its log, then restart or remove that worker.",
        depends=NEEDS,
        public=f"A worker {told}",
    )


def check_progress(facts: Facts) -> Iterator[Finding]:
    """Whether matches end while tournaments run."""
    health = facts.health
    last = health.last_match
    if health.running and last is not None and facts.now - last > STUCK_S:
        yield wrong(
            "matches",
            "A tournament is running, but no match has ended for minutes.",
            "Its bots may take very long to answer. Otherwise read the workers' logs.",
            depends=(*NEEDS, "beat", "hosts", "gateways", "hanging workers", "tournaments"),
        )
