"""Blocking gRPC calls to a gateway, for commands."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Self, TypeVar

import grpc
from google.protobuf.message import Message

from arena.base.errors import (
    AlreadyExists,
    ArenaError,
    InvalidRequest,
    LimitReached,
    NotFound,
    NotNow,
    Unavailable,
)
from arena.sdk.address import Address, address

A = TypeVar("A", bound=Message)

ANSWER_S = 30.0  # time limit of a call

# Records can exceed gRPC's default limit of 4 MB: long matches of 6 seats in JSON.
OPTIONS = [("grpc.max_receive_message_length", 64 * 1024 * 1024)]

ERRORS: dict[grpc.StatusCode, type[ArenaError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidRequest,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.ALREADY_EXISTS: AlreadyExists,
    grpc.StatusCode.FAILED_PRECONDITION: NotNow,
    grpc.StatusCode.RESOURCE_EXHAUSTED: LimitReached,
}


def open_channel(arena: Address) -> grpc.Channel:
    """Returns a channel to the gateway, encrypted if the address requires it."""
    if arena.tls:
        return grpc.secure_channel(arena.place, grpc.ssl_channel_credentials(arena.roots), OPTIONS)
    return grpc.insecure_channel(arena.place, OPTIONS)


def error_of(error: grpc.RpcError, arena: Address, limit_s: float) -> ArenaError:
    """Converts the status of a call with a limit of `limit_s` seconds to an error."""
    code, details = error.code(), error.details() or ""
    if code in ERRORS:
        return ERRORS[code](details)
    if code == grpc.StatusCode.UNAUTHENTICATED:
        return InvalidRequest(f"The arena at {arena.url} rejected the token. {details}")
    if code == grpc.StatusCode.DEADLINE_EXCEEDED:
        return Unavailable(f"The arena at {arena.url} did not answer within {limit_s:g} s.")
    if code == grpc.StatusCode.UNAVAILABLE:
        return Unavailable(arena.explained(details))
    return Unavailable(f"The arena at {arena.url} failed ({code.name}): {details}")


class BlockingClient:
    """A client of one service at a gateway, authenticated with a token.

    Calls raise ArenaError subclasses, such as Unavailable if the gateway cannot be reached.
    """

    service: ClassVar[str]  # full gRPC service name

    def __init__(self, url: str, token: str, tls_ca: str | Path | None = None) -> None:
        """`url` is HOST:PORT, grpc://HOST:PORT, or grpcs://HOST:PORT for TLS. `tls_ca` is a file of
        root certificates (PEM) to trust instead of the public ones. Raises InvalidRequest."""
        self._address = address(url, tls_ca)
        self._channel = open_channel(self._address)
        self._metadata = (("authorization", f"Bearer {token}"),)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def _ask(
        self, method: str, request: Message, answer: type[A], limit_s: float | None = ANSWER_S
    ) -> A:
        call: grpc.UnaryUnaryMultiCallable[Message, A] = self._channel.unary_unary(
            f"/{self.service}/{method}", type(request).SerializeToString, answer.FromString
        )
        with self._arena_errors():
            return call(request, metadata=self._metadata, timeout=limit_s)

    @contextmanager
    def _arena_errors(self, limit_s: float = ANSWER_S) -> Iterator[None]:
        """Converts the errors of a call with a limit of `limit_s` seconds."""
        try:
            yield
        except grpc.RpcError as error:
            raise error_of(error, self._address, limit_s) from None
