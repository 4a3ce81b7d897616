"""Checks the processes of an arena (gateways, workers, beat and hosts), whether they play the
tournaments, and whether the gateway's machine is overloaded, so that bots run out of time."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.service.health.facts import Facts
from arena.service.health.finding import Finding, fine, unknown, wrong
from arena.service.live.incidents import Incident
from arena.service.live.queues import REVIEW
from arena.service.live.vitals import Silent

NEEDS = ("Redis",)
UNHEARD = "It was killed or hangs, or its machine or network is down."

STUCK_S = 180.0  # without the end of any match, while there is something to play
NAMED = 5  # tournaments, at most
FAILING_HOSTS = "failing hosts"  # the subject of a finding
PLAYING_NEEDS = ("database", "Redis", "workers", "locks")


@dataclass(frozen=True)
class ProcessKind:
    """A kind of process: its names, the effect of its absence, and the command that starts it."""

    name: str
    plural: str
    effect: str
    start: str


GATEWAY = ProcessKind("gateway", "gateways", "so no bot can connect", "`arena gateway`")
WORKER = ProcessKind("worker", "workers", "so no tournament is played", "`arena worker`")
HOST = ProcessKind("host", "hosts", "so hosted bots do not play", "`arena host`")
BEAT = ProcessKind("beat", "beat", "so tournaments do not progress", "`arena beat`")


def check_running(_: Facts) -> Iterator[Finding]:
    """For an arena that was not started."""
    yield wrong("arena", "No arena is running here.", "Start one with `arena up`.")


def check_gateways(facts: Facts) -> Iterator[Finding]:
    """Whether bots can connect."""
    yield from _present(GATEWAY, facts.health.gateways, facts)


def check_workers(facts: Facts) -> Iterator[Finding]:
    """Whether tournaments are played, and whether workers make progress."""
    count, hanging = facts.health.workers or 0, facts.health.hanging or 0
    if hanging and hanging >= count:
        yield _hanging("workers", "All workers hang, so no tournament is played")
        return
    yield from _present(WORKER, count, facts)
    if hanging:
        some = "A worker hangs" if hanging == 1 else f"{hanging} workers hang"
        yield _hanging("hanging workers", some)
    if facts.vitals and not facts.vitals.workers[REVIEW]:
        says = "No worker reviews matches or computes luck. `arena worker --review` starts one."
        yield unknown("review workers", says)


def check_beat(facts: Facts) -> Iterator[Finding]:
    """Whether exactly one beat is running, and workers run the tasks that it sends."""
    beats = facts.vitals.beats if facts.vitals else 0
    if not facts.health.sweeping or (_silent(facts, BEAT) and not beats):
        if beats:
            yield wrong(
                "beat",
                "Workers do not run the tasks of beat, so tournaments do not progress.",
                "Read the workers' logs. They may be overloaded or failing.",
                depends=("database", "Redis", "workers", "locks"),
            )
        else:
            # Beat asks the database for its version, so a frozen database blocks it.
            yield from _present(BEAT, 0, facts, depends=("database", *NEEDS))
    elif beats > 1:
        yield wrong(
            "beat",
            f"{beats} beats are running, but there must be exactly one. Each sends every task.",
            "Stop all but one.",
        )
    else:
        yield fine("beat", "It is running, and workers run its tasks.")


def check_hosts(facts: Facts) -> Iterator[Finding]:
    """Whether hosted bots are connected, and uploads built."""
    health, depends = facts.health, ("database", "Redis", "gateways")
    unheard = list(_unheard(HOST, health.hosts, facts, depends))
    yield from unheard
    if unheard and not health.hosts:
        return
    for failure in facts.host_failures:
        yield wrong(
            FAILING_HOSTS,
            f"{failure.what} by the host {failure.host} ({failure.reason.rstrip('.')}).",
            "Read its log. Until it succeeds or another host takes over, this waits.",
            depends=depends,
            public=f"{failure.what} by a host.",
        )
    if health.hosted and (health.hostless or health.hosts == 0):
        them = "the hosted bot" if health.hosted == 1 else f"the {health.hosted:,} hosted bots"
        what = f"No host is running, so {them} cannot play."
        if health.hostless:
            what = f"No host has connected {them}, so their matches wait."
        advice = "Read the log of the host." if health.hosts else "Start one with `arena host`."
        yield wrong("hosts", what, advice, depends=depends)
    elif health.uploads_waiting and not health.hosts:
        one = health.uploads_waiting == 1
        them = "An upload waits" if one else f"{health.uploads_waiting:,} uploads wait"
        yield wrong(
            "hosts",
            f"{them} to be built, and no host is running.",
            "Start one with `arena host`.",
            depends=depends,
        )
    elif health.hosts:
        yield fine("hosts", f"{health.hosts} running.")
    else:
        yield unknown("hosts", "No host is running. Only hosted bots need one.")


def _present(
    kind: ProcessKind, count: int | None, facts: Facts, depends: tuple[str, ...] = NEEDS
) -> Iterator[Finding]:
    """Reports the processes of a kind that do not answer, and whether any is running."""
    unheard = list(_unheard(kind, count, facts, depends))
    yield from unheard
    if count:
        yield fine(kind.plural, f"{count} running.")
    elif not unheard:
        none = kind.plural.capitalize() if kind is BEAT else f"No {kind.name}"
        yield wrong(
            kind.plural,
            f"{none} is {'not ' if kind is BEAT else ''}running, {kind.effect}.",
            f"Start one with {kind.start}, or all processes with `arena up`.",
            depends=depends,
        )


def _unheard(
    kind: ProcessKind, count: int | None, facts: Facts, depends: tuple[str, ...]
) -> Iterator[Finding]:
    effect = "" if count else f", {kind.effect}"
    for each in _silent(facts, kind):
        if each.gone:
            continue
        yield wrong(
            kind.name if count else kind.plural,
            f"The {kind.name} {each.name} has not answered for {each.seconds} s{effect}.",
            f"{UNHEARD} Resume or end the process. Other processes take over its work.",
            depends=depends,
            public=f"A {kind.name} does not answer{effect}.",
        )


def _silent(facts: Facts, kind: ProcessKind) -> Sequence[Silent]:
    known = facts.vitals.silent if facts.vitals else ()
    return [each for each in known if each.kind == kind.name]


def _hanging(about: str, what: str) -> Finding:
    return wrong(
        about,
        f"{what}. Tasks do not start or do not progress.",
        "The log names the process. End it with `kill -9`, or restart the worker. Other workers "
        "take over its matches.",
        depends=("database", "Redis", "locks"),
    )


def check_overload(share: float) -> Iterator[Finding]:
    """Workers play this `share` of their matches at once (`arena.service.live.overload.share`)."""
    if share >= 1:
        yield fine("overload", "The gateway's machine is not overloaded.")
        return
    yield wrong(
        "overload",
        "The gateway's machine is overloaded, so most bots ran out of time. Their clocks were "
        f"extended, and workers play {share:.0%} of their usual matches at once.",
        "Move bots to other machines, run fewer bots or workers, or use a longer move time.",
        depends=("Redis",),
        public="The arena is overloaded, so it plays fewer matches at once.",
    )


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
            depends=PLAYING_NEEDS,
        )
    if len(stopped) > NAMED:
        yield wrong(
            "tournaments",
            f"{len(stopped) - NAMED} more tournaments cannot progress.",
            "Read the workers' logs for their numbers and errors.",
            depends=PLAYING_NEEDS,
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
        depends=PLAYING_NEEDS,
        public=f"A worker {told}",
    )


def check_progress(facts: Facts) -> Iterator[Finding]:
    """Whether matches end while tournaments run."""
    if facts.stored.silence > STUCK_S:
        yield wrong(
            "matches",
            f"A tournament is running, but no match has ended for over {STUCK_S / 60:g} minutes.",
            "Check whether its bots are slow to answer. Otherwise read the workers' logs.",
            depends=(*PLAYING_NEEDS, "beat", "hosts", "gateways", "hanging workers", "tournaments"),
        )
