"""Failed connections, explained: the texts are gRPC's own."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import grpc
import pytest

from arena.sdk.address import address


def details(place: str) -> str:
    """Return gRPC's message on a connection that fails."""
    with grpc.insecure_channel(place) as channel:
        method: Any = channel.unary_unary("/a/b")
        with pytest.raises(grpc.RpcError) as failed:
            method(b"", timeout=10)
        return str(failed.value.details())


@contextmanager
def web_server() -> Iterator[str]:
    answer = b"HTTP/1.1 404 NOT FOUND\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            for _ in range(2):  # as gRPC tries again
                with suppress(OSError), server.accept()[0] as connection:
                    connection.recv(1000)
                    connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_a_web_server_is_not_a_gateway() -> None:
    with web_server() as place:
        said = address(place).explained(details(place))
    assert said == (
        f"The arena at {place} cannot be used: this is a web server, not a gateway. Your bot's page"
        " on the website shows the address of the gateway."
    )


def test_a_port_where_nothing_listens() -> None:
    said = address("127.0.0.1:1").explained(details("127.0.0.1:1"))
    assert said == (
        "The arena at 127.0.0.1:1 cannot be used: nothing listens there. Check the address, or"
        " start the arena."
    )


def test_a_host_that_does_not_exist() -> None:
    said = address("no-such-host.invalid:7420").explained(details("no-such-host.invalid:7420"))
    assert said == (
        "The arena at no-such-host.invalid:7420 cannot be used: no host has the name"
        " no-such-host.invalid. Check the address."
    )
