"""The processes of an arena: gateway, dashboard, workers, hosts, beat."""

from __future__ import annotations

from collections.abc import Iterator

import redis

from arena.doctor.asking import HealthReply
from arena.doctor.finding import Finding, fine, unknown, wrong
from arena.errors import Unavailable
from arena.live.connect import connect
from arena.live.queues import PLAY, PROMPT, REVIEW
from arena.live.vitals import Vitals, vitals

TIMEOUT_S = 3.0


def examine_gateway(url: str, answer: HealthReply) -> Finding:
    """The gateway that should be there."""
    if answer.well:
        return fine("gateway", f"{url} is SERVING.")
    if answer.there:
        return wrong(
            "gateway",
            f"{url} answers {answer.word}: it has lost Redis, or stops.",
            "Look at Redis, then at the gateway's log.",
        )
    return wrong("gateway", answer.word, "Start it with `arena gateway`, or look at its log.")


def examine_dashboard(url: str, answer: HealthReply) -> Finding:
    """The dashboard that should be there."""
    if answer.well:
        return fine("dashboard", f"{url}/healthz answers 200.")
    return wrong(
        "dashboard",
        f"{url}/healthz: {answer.word}.",
        "Look at its log; /healthz itself says what is missing."
        if answer.there
        else "Start it with `arena dashboard`, or look at its log.",
    )


def examine_workers(redis_url: str) -> Iterator[Finding]:
    """Gateways, workers, hosts and beat, wherever they run, by what they say in Redis."""
    try:
        with connect(redis_url, timeout_s=TIMEOUT_S, retries=1) as client:
            yield from examine_vitals(vitals(client))
    except (Unavailable, redis.RedisError):  # which is told of Redis
        yield unknown("workers", "Without Redis nobody can tell which processes live.")


def examine_vitals(alive: Vitals) -> Iterator[Finding]:
    """The same of what was read."""
    if not (alive.gateways or any(alive.workers.values()) or alive.sweeping):
        yield unknown("workers", "No process of this arena runs; `arena up` starts all there is.")
        return
    if alive.gateways:
        yield fine("gateways", f"{alive.gateways} alive.")
    else:
        yield wrong("gateways", "None is alive.", "Start one with `arena gateway`.")
    if not alive.workers[PLAY]:
        yield wrong("workers", "None is alive.", "Start one with `arena worker`.")
    else:
        yield fine("workers", f"{alive.workers[PLAY]} alive.")
    if not alive.workers[PROMPT]:
        yield wrong(
            "workers",
            "None takes what somebody waits for: test matches, tables, beginnings.",
            "Start one with `arena worker --prompt`.",
        )
    if not alive.workers[REVIEW]:
        yield unknown(
            "workers", "None makes reviews or computes luck; `arena worker --review` starts one."
        )
    if alive.hanging:
        yield wrong(
            "workers",
            f"{alive.hanging} hang: tasks wait that they do not begin, or make no progress.",
            "Their logs say which process; start them again.",
        )
    if alive.hosts:
        yield fine("hosts", f"{alive.hosts} alive.")
    else:
        yield unknown("hosts", "None is alive, which only hosted bots need.")
    if alive.sweeping:
        yield fine("beat", "Tournaments were looked after a moment ago.")
    else:
        yield wrong(
            "beat",
            "Nobody has looked after the tournaments for a while.",
            "Start `arena beat`, exactly one; if it runs, look at the workers' logs.",
        )
