"""Maps the arena's errors to gRPC status codes and metadata."""

from math import ceil

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage

from arena.base.errors import (
    AlreadyExists,
    ArenaError,
    InvalidRequest,
    LimitReached,
    NotFound,
    NotNow,
    Unavailable,
)
from arena.protocol.internal.status_pb2 import RetryInfo, RichStatus
from arena.service.gateway.limits import LONGEST_SENTENCE

OURS = "Internal error of the arena. The operator can find it in the gateway's log."
RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"

CODES: dict[type[ArenaError], grpc.StatusCode] = {
    InvalidRequest: grpc.StatusCode.INVALID_ARGUMENT,
    NotFound: grpc.StatusCode.NOT_FOUND,
    AlreadyExists: grpc.StatusCode.ALREADY_EXISTS,
    NotNow: grpc.StatusCode.FAILED_PRECONDITION,
    LimitReached: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Unavailable: grpc.StatusCode.UNAVAILABLE,
}


def code_of(error: ArenaError) -> grpc.StatusCode:
    for kind, code in CODES.items():
        if isinstance(error, kind):
            return code
    return grpc.StatusCode.INTERNAL


def details_of(error: ArenaError) -> str:
    """Return the error's public sentence, cut to a length that every client accepts."""
    sentence = error.public if isinstance(error, Unavailable) else str(error)
    return sentence if len(sentence) <= LONGEST_SENTENCE else sentence[:LONGEST_SENTENCE] + "..."


def retry_metadata(
    code: grpc.StatusCode, sentence: str, wait_s: float
) -> tuple[tuple[str, str | bytes], ...]:
    """The trailing metadata of a call that may be repeated in `wait_s` seconds.

    `grpc-retry-pushback-ms` is what clients with a retry policy heed (gRFC A6);
    `grpc-status-details-bin` is google.rpc.Status with a google.rpc.RetryInfo.
    """
    wait_ms = ceil(1000 * wait_s)
    info = RetryInfo()
    info.retry_delay.FromMilliseconds(wait_ms)
    detail = AnyMessage(type_url=RETRY_INFO, value=info.SerializeToString())
    number: int = code.value[0]
    status = RichStatus(code=number, message=sentence, details=[detail])
    return (
        ("grpc-retry-pushback-ms", str(wait_ms)),
        ("grpc-status-details-bin", status.SerializeToString()),
    )
