"""Redis, and the gateway and the dashboard of this machine, or their free ports."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import grpc
import redis
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena.base.errors import ArenaError, Unavailable
from arena.operations import embedded
from arena.operations.supervise import ports
from arena.sdk.address import address
from arena.sdk.blocking import open_channel
from arena.service.health.finding import Finding, fine, unknown, wrong
from arena.service.live.connect import connect, place

REDIS = "Redis"
TIMEOUT_S = 3.0
NEARLY_FULL = 0.9  # the used share of the memory of Redis


@dataclass(frozen=True)
class HealthReply:
    """The answer of a server to a health check, or the reason for none."""

    there: bool  # a server of the arena answers
    well: bool
    word: str


def ask_gateway(url: str, tls_ca: Path | None = None) -> HealthReply:
    """Return the result of a gateway's gRPC health check."""
    try:
        where = address(url, tls_ca)
        with open_channel(where) as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT_S)
    except ArenaError as error:
        return HealthReply(False, False, str(error))
    except grpc.RpcError as error:
        details = str(error.details()) if isinstance(error, grpc.Call) else str(error)
        return HealthReply(False, False, where.explained(details))
    word = health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
    return HealthReply(True, word == "SERVING", word)


def ask_dashboard(url: str) -> HealthReply:
    """Return the result of a dashboard's /healthz."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port or 80, timeout=TIMEOUT_S)
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        ours = b'"status"' in answer.read(4096)
    except (OSError, HTTPException) as error:
        return HealthReply(False, False, str(error))
    finally:
        connection.close()
    return HealthReply(ours, answer.status == 200, f"{answer.status} {answer.reason}")


def examine_gateway(url: str, answer: HealthReply) -> Finding:
    if answer.well:
        return fine("gateway", f"{url} is SERVING.")
    if answer.there:
        return wrong(
            "gateway",
            f"{url} answers {answer.word}: it has lost Redis or is stopping.",
            "See the gateway's log.",
            depends=("Redis",),
        )
    return wrong("gateway", answer.word, "Start it with `arena gateway`, or see its log.")


def examine_dashboard(url: str, answer: HealthReply) -> Finding:
    if answer.well:
        return fine("dashboard", f"{url}/healthz answers 200.")
    if answer.there:
        return wrong(
            "dashboard",
            f"{url}/healthz: {answer.word}.",
            "See its log, and the answer of /healthz.",
            depends=("database",),
        )
    return wrong(
        "dashboard",
        f"{url}/healthz: {answer.word}.",
        "Start it with `arena dashboard`, or see its log.",
    )


def examine_port(host: str, port: int, what: str, answer: HealthReply) -> Finding:
    """Check whether a port is free or used by the arena."""
    variable = f"ARENA_{'' if what == 'gateway' else 'DASHBOARD_'}PORT"
    if not port:
        return unknown("ports", f"The {what} uses any free port ({variable} is 0).")
    try:
        free = ports.is_free(host, port)
    except Unavailable as error:
        return wrong("ports", str(error), f"Correct ARENA_HOST or {variable}.")
    if free:
        return fine("ports", f"Port {port} is free for the {what}.")
    if answer.there:
        return fine("ports", f"Port {port} is used by a {what} of an arena.")
    return wrong(
        "ports",
        f"Port {port}, wanted for the {what}, is in use, apparently by another program "
        f"({answer.word.rstrip('.')}).",
        f"Stop that program, or choose another port with {variable}.",
        depends=("certificate",),
    )


def examine_embedded() -> Finding:
    """Check for a server to embed, if none is named and none runs."""
    try:
        return fine(REDIS, f"`arena up` starts {embedded.redis_binary()}.")
    except Unavailable as error:
        return wrong(REDIS, str(error), "Install one, or set ARENA_REDIS_URL.")


def examine_redis(url: str) -> Iterator[Finding]:
    """Yield more findings on a server that answers."""
    try:
        with connect(url, timeout_s=TIMEOUT_S, retries=1) as client:
            info: Mapping[str, Any] = client.info()
            yield fine(REDIS, f"{place(url)} is version {info['redis_version']}.")
            yield from examine_info(info)
    except (Unavailable, redis.RedisError) as error:
        yield wrong(REDIS, str(error), "See the log of Redis.")


def examine_info(info: Mapping[str, Any]) -> Iterator[Finding]:
    """Check the memory of a server. `arena.service.health` checks for writes."""
    most, used = int(info.get("maxmemory", 0)), int(info.get("used_memory", 0))
    policy = str(info.get("maxmemory_policy", "noeviction"))
    if policy != "noeviction":
        yield wrong(
            REDIS,
            f"The server evicts keys when its memory is full (maxmemory-policy {policy}). Leases, "
            "queues and connections would be lost.",
            "Set maxmemory-policy to noeviction.",
        )
    if most and used > NEARLY_FULL * most:
        yield wrong(
            REDIS,
            f"The server uses {used / 1e6:,.0f} MB of its maximum of {most / 1e6:,.0f} MB.",
            "Raise maxmemory, or remove other data from the server.",
        )
    elif policy == "noeviction":
        bound = f"of {most / 1e6:,.0f} MB" if most else "without a limit"
        yield fine(REDIS, f"The server uses {used / 1e6:,.0f} MB, {bound}, and evicts no keys.")
