"""Who is at the other end of a connection, as gRPC names them."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import unquote

from arena.base.addresses import Address, network, plain
from arena.base.errors import InvalidRequest

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

# As gRPC names them: "ipv4:192.0.2.7:4711", "ipv6:%5B2001:db8::1%5D:4711".
PEER = re.compile(r"ipv[46]:\[?([0-9a-fA-F:.]+)(?:%[^\]]*)?\]?:(\d+)")


@dataclass(frozen=True, slots=True)
class Peer:
    """The other end of a connection. Without an `address` it is no IP connection."""

    address: Address | None
    port: int = 0

    @property
    def network(self) -> str:
        """What limits count it under."""
        return "" if self.address is None else network(self.address)

    def within(self, listed: Iterable[Network]) -> bool:
        """Whether it is in one of these networks; one that is no IP connection is in all."""
        return self.address is None or any(self.address in one for one in listed)


def parse_peer(text: str) -> Peer:
    """The peer that gRPC names so."""
    found = PEER.fullmatch(unquote(text))
    return Peer(plain(found[1]), int(found[2])) if found else Peer(None)


def networks(text: str) -> tuple[Network, ...]:
    """Addresses and networks, separated by commas. Raises InvalidRequest."""
    try:
        parts = [part.strip() for part in text.split(",")]
        return tuple([ipaddress.ip_network(part, strict=False) for part in parts if part])
    except ValueError as error:
        raise InvalidRequest(
            f"ARENA_EXEMPT_ADDRESSES has to be addresses or networks with commas between them,"
            f" such as 127.0.0.0/8,::1 ({error})."
        ) from None
