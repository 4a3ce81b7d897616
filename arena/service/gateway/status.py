"""The arena's errors as gRPC status codes."""

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

CODES: dict[type[ArenaError], grpc.StatusCode] = {
    InvalidRequest: grpc.StatusCode.INVALID_ARGUMENT,
    NotFound: grpc.StatusCode.NOT_FOUND,
    AlreadyExists: grpc.StatusCode.ALREADY_EXISTS,
    NotNow: grpc.StatusCode.FAILED_PRECONDITION,
    LimitReached: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Unavailable: grpc.StatusCode.UNAVAILABLE,
}


def code_of(error: ArenaError) -> grpc.StatusCode:
    """The status code that stands for an error."""
    for kind, code in CODES.items():
        if isinstance(error, kind):
            return code
    return grpc.StatusCode.INTERNAL


def details_of(error: ArenaError) -> str:
    """The error's public sentence, cut to the length that every client takes."""
    sentence = error.public if isinstance(error, Unavailable) else str(error)
    return sentence if len(sentence) <= LONGEST_SENTENCE else sentence[:LONGEST_SENTENCE] + "..."
