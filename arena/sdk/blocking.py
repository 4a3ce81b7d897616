"""Blocking calls to a gateway, for commands: the channel, and statuses as the arena's errors."""

from __future__ import annotations

import grpc

from arena.errors import (
    AlreadyExists,
    ArenaError,
    InvalidRequest,
    LimitReached,
    NotFound,
    NotNow,
    Unavailable,
)
from arena.sdk.address import Address

# A record can be larger than gRPC's usual 4 MB: a long match of 6 seats in JSON.
OPTIONS = [("grpc.max_receive_message_length", 64 * 1024 * 1024)]

ERRORS: dict[grpc.StatusCode, type[ArenaError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidRequest,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.ALREADY_EXISTS: AlreadyExists,
    grpc.StatusCode.FAILED_PRECONDITION: NotNow,
    grpc.StatusCode.RESOURCE_EXHAUSTED: LimitReached,
}


def open_channel(arena: Address) -> grpc.Channel:
    """A channel to the gateway, encrypted where the address says so."""
    if arena.tls:
        return grpc.secure_channel(arena.place, grpc.ssl_channel_credentials(arena.roots), OPTIONS)
    return grpc.insecure_channel(arena.place, OPTIONS)


def error_of(error: grpc.RpcError, arena: Address, limit_s: float) -> ArenaError:
    """The error that a call's status stands for; it was given so many seconds."""
    code, details = error.code(), error.details() or ""
    if code in ERRORS:
        return ERRORS[code](details)
    if code == grpc.StatusCode.UNAUTHENTICATED:
        return InvalidRequest(f"The arena at {arena.url} does not know this token. {details}")
    if code == grpc.StatusCode.DEADLINE_EXCEEDED:
        return Unavailable(f"The arena at {arena.url} did not answer in {limit_s:g} s.")
    if code == grpc.StatusCode.UNAVAILABLE:
        return Unavailable(arena.explained(details))
    return Unavailable(f"The arena at {arena.url} failed ({code.name}): {details}")
