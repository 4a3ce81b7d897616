"""The gateway and the dashboard of this machine, or their free ports."""

from __future__ import annotations

from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena.base.errors import ArenaError, Unavailable
from arena.operations.supervise import ports
from arena.sdk.address import Address, address
from arena.service.health.finding import Finding, fine, unknown, wrong

TIMEOUT_S = 3.0


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
        with _channel(where) as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT_S)
    except ArenaError as error:
        return HealthReply(False, False, str(error))
    except grpc.RpcError as error:
        details = str(error.details()) if isinstance(error, grpc.Call) else str(error)
        return HealthReply(False, False, where.explained(details))
    word = health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
    return HealthReply(True, word == "SERVING", word)


def _channel(where: Address) -> grpc.Channel:
    if where.tls:
        return grpc.secure_channel(where.place, grpc.ssl_channel_credentials(where.roots))
    return grpc.insecure_channel(where.place)


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
    """Check a gateway."""
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
    """Check a dashboard."""
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
