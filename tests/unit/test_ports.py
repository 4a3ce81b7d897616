"""Ports: the wanted one, a free one, or a clear no."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from arena.errors import Unavailable
from arena.supervise import ports

HERE = "127.0.0.1"


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which somebody listens."""
    with socket.create_server((HERE, 0)) as server:
        yield server.getsockname()[1]


def test_a_free_port_is_taken_as_wanted() -> None:
    wanted = ports.any_free(HERE)

    assert ports.choose(HERE, wanted, "gateway", insist=True) == wanted


def test_a_taken_port_gives_way_to_a_free_one(taken: int) -> None:
    chosen = ports.choose(HERE, taken, "gateway", insist=False)

    assert chosen != taken
    assert ports.is_free(HERE, chosen)


def test_a_taken_port_that_is_insisted_on_is_refused(taken: int) -> None:
    with pytest.raises(Unavailable, match=f"Port {taken}, wanted for the gateway, is in use"):
        ports.choose(HERE, taken, "gateway", insist=True)


def test_the_port_zero_is_any_free_one() -> None:
    assert ports.is_free(HERE, ports.choose(HERE, 0, "gateway", insist=True))


def test_a_port_promised_to_somebody_else_is_not_chosen() -> None:
    promised = ports.any_free(HERE)

    assert ports.choose(HERE, promised, "dashboard", insist=False, besides=(promised,)) != promised


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid"])
def test_an_address_that_is_not_ours_is_refused(host: str) -> None:
    with pytest.raises(Unavailable, match=f"Nothing can listen on {host}"):
        ports.choose(host, 0, "gateway", insist=False)
    with pytest.raises(Unavailable, match=f"Nothing can listen on {host}"):
        ports.choose(host, 7420, "gateway", insist=False)
