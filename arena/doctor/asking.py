"""Asks gateways and dashboards how they are."""

from __future__ import annotations

from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena.errors import ArenaError
from arena.sdk.address import Address, address

TIMEOUT_S = 3.0


@dataclass(frozen=True)
class HealthReply:
    """What a server answers when it is asked for its health, or why it does not."""

    there: bool  # it is one of ours
    well: bool
    word: str


def ask_gateway(url: str, tls_ca: Path | None = None) -> HealthReply:
    """A gateway's gRPC health check."""
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
    """A dashboard's /healthz."""
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
