"""Maps the arena's errors to gRPC status codes."""

from __future__ import annotations

import grpc

from arena.base.errors import (
    AlreadyExists,
    ArenaError,
    InvalidRequest,
    LimitReached,
    NotFound,
    NotNow,
    Unavailable,
)
from arena.service.gateway.limits import LONGEST_SENTENCE

OURS = "Internal error of the arena. The operator can find it in the gateway's log."

CODES: dict[type[ArenaError], grpc.StatusCode] = {
    InvalidRequest: grpc.StatusCode.INVALID_ARGUMENT,
    NotFound: grpc.StatusCode.NOT_FOUND,
    AlreadyExists: grpc.StatusCode.ALREADY_EXISTS,
    NotNow: grpc.StatusCode.FAILED_PRECONDITION,
    LimitReached: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Unavailable: grpc.StatusCode.UNAVAILABLE,
}


def code_of(error: ArenaError) -> grpc.StatusCode:
    """Return the status code of an error."""
    for kind, code in CODES.items():
        if isinstance(error, kind):
            return code
    return grpc.StatusCode.INTERNAL


def details_of(error: ArenaError) -> str:
    """Return the error's public sentence, cut to a length that every client accepts."""
    sentence = error.public if isinstance(error, Unavailable) else str(error)
    return sentence if len(sentence) <= LONGEST_SENTENCE else sentence[:LONGEST_SENTENCE] + "..."
