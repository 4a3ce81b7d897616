"""Ports: the wanted one, a free one, or a clear no."""

import socket
from collections.abc import Iterator

import pytest

from arena.base.errors import Unavailable
from arena.operations.supervise import ports

HERE = "127.0.0.1"


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which somebody listens."""
    with socket.create_server((HERE, 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def claims() -> Iterator[ports.Claims]:
    with ports.Claims() as ours:
        yield ours


def test_a_free_port_is_taken_as_wanted(claims: ports.Claims) -> None:
    wanted = ports.any_free(HERE)

    assert claims.choose(HERE, wanted, "gateway", insist=True) == wanted


def test_a_taken_port_gives_way_to_a_free_one(taken: int, claims: ports.Claims) -> None:
    chosen = claims.choose(HERE, taken, "gateway")

    assert chosen != taken
    assert ports.is_free(HERE, chosen)


def test_a_taken_port_that_is_insisted_on_is_refused(taken: int, claims: ports.Claims) -> None:
    with pytest.raises(Unavailable, match=f"Port {taken}, wanted for the gateway, is in use"):
        claims.choose(HERE, taken, "gateway", insist=True)


def test_the_port_zero_is_any_free_one(claims: ports.Claims) -> None:
    assert ports.is_free(HERE, claims.choose(HERE, 0, "gateway", insist=True))


def test_a_port_promised_to_one_part_is_not_given_to_another(claims: ports.Claims) -> None:
    promised = claims.choose(HERE, 0, "gateway")

    assert claims.choose(HERE, promised, "dashboard") != promised


def test_two_arenas_that_start_at_once_do_not_take_the_same(claims: ports.Claims) -> None:
    wanted = ports.any_free(HERE)

    with ports.Claims() as theirs:
        assert theirs.choose(HERE, wanted, "gateway") == wanted
        assert ports.is_free(HERE, wanted), "nobody listens yet"
        assert claims.choose(HERE, wanted, "gateway") != wanted
        with pytest.raises(Unavailable, match=f"Port {wanted}, wanted for the gateway, is in use"):
            claims.choose(HERE, wanted, "gateway", insist=True)
    assert claims.choose(HERE, wanted, "gateway", insist=True) == wanted


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid"])
def test_an_address_that_is_not_ours_is_refused(host: str, claims: ports.Claims) -> None:
    with pytest.raises(Unavailable, match=f"Cannot listen on {host}"):
        claims.choose(host, 0, "gateway")
    with pytest.raises(Unavailable, match=f"Cannot listen on {host}"):
        claims.choose(host, 7420, "gateway")
