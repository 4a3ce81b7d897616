"""IP addresses as limits count them: an IPv4 address, or the /64 network of an IPv6 address.

A client with an IPv6 address usually owns its whole /64 network.
"""

import ipaddress
from functools import lru_cache
from typing import TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


@lru_cache(maxsize=4096)  # thousands of connections come from few addresses
def plain(text: str) -> Address:
    """Parses an address. Returns an IPv4-mapped IPv6 address as IPv4. Raises ValueError."""
    address = ipaddress.ip_address(text)
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped or address


def networks(text: str) -> tuple[Network, ...]:
    """Parses addresses and networks, separated by commas. Raises ValueError."""
    parts = [part.strip() for part in text.split(",")]
    return tuple([ipaddress.ip_network(part) for part in parts if part])


def network(address: Address) -> str:
    """The key under which limits count an address."""
    if address.version == 4:
        return str(address)
    return str(ipaddress.ip_network((address, 64), strict=False))


def limit_key(text: str) -> str:
    """The key under which limits count a peer. `text` may have a zone, or not be an address."""
    try:
        return network(plain(text.partition("%")[0]))
    except ValueError:
        return text or "unknown"
