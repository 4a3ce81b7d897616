"""The other end of a connection, as named by gRPC."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

from arena.base.addresses import Address, Network, network, plain

# For example "ipv4:192.0.2.7:4711", "ipv6:%5B2001:db8::1%5D:4711".
PEER = re.compile(r"ipv[46]:\[?([0-9a-fA-F:.]+)(?:%[^\]]*)?\]?:(\d+)")


@dataclass(frozen=True, slots=True)
class Peer:
    """The other end of a connection; `address` is None for connections other than IP."""

    address: Address | None
    port: int = 0

    @property
    def network(self) -> str:
        """The network under which limits count it."""
        return "" if self.address is None else network(self.address)

    def within(self, listed: Iterable[Network]) -> bool:
        """Return whether it is in one of these networks. Connections other than IP are in all."""
        return self.address is None or any(self.address in one for one in listed)


def parse_peer(text: str) -> Peer:
    """Parse the name of a peer in gRPC."""
    found = PEER.fullmatch(unquote(text))
    return Peer(plain(found[1]), int(found[2])) if found else Peer(None)
