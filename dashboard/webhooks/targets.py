"""Which URLs webhooks may use: only public ones, to prevent requests into the arena's own network.

The addresses of a host are checked when a message is sent. The sender then connects to a checked
address, without another DNS lookup.
"""

import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from arena.base.addresses import Address, Network
from arena.base.errors import InvalidRequest

Networks = tuple[Network, ...]

LONGEST = 1000  # characters of a URL
PORTS = (80, 443, 8080, 8443)  # on public addresses; other ports are for other protocols
DEFAULT_PORT = {"http": 80, "https": 443}

# The complete special-purpose address registries of IANA, including globally reachable ranges,
# which are not single servers. Python's `is_global` covers different ranges in each release.
# https://www.iana.org/assignments/iana-ipv4-special-registry and -ipv6-special-registry
IPV4_SPECIAL = """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
    192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24
    198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4
"""
MULTICAST, AZURE = "224.0.0.0/4", "168.63.129.16/32"
UNICAST = IPv6Network("2000::/3")  # excludes loopback, ULA, link-local, multicast, ...
# 2001::/23 contains Teredo, AMT, AS112, ORCHID and benchmarks; 2002::/16 is 6to4.
IPV6_SPECIAL = "2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20"
SPECIAL: Networks = tuple(
    map(ip_network, (*IPV4_SPECIAL.split(), MULTICAST, AZURE, *IPV6_SPECIAL.split()))
)
NAT64 = IPv6Network("64:ff9b::/96")  # translated to the IPv4 address in the last 32 bits

NO_ADDRESS = "{host} has no public address, or does not exist."
NO_PORT = "Port {port} is not allowed for webhooks. Use 443, 8443, 80 or 8080."


@dataclass(frozen=True, slots=True)
class WebhookTarget:
    """A URL in parts; `path` includes the query."""

    scheme: str
    host: str
    port: int
    path: str


def check_url(url: str, allowed: Networks = ()) -> WebhookTarget:
    """Return the target of a URL, checked without a DNS lookup. Raises InvalidRequest."""
    if len(url) > LONGEST:
        raise InvalidRequest(f"A URL has at most {LONGEST} characters.")
    if not re.fullmatch(r"[!-~]+", url) or "\\" in url:
        raise InvalidRequest(
            "The URL must be ASCII without spaces. Encode other characters (%C3%A9, xn--...)."
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InvalidRequest("This is not a URL. Enter https://HOST/PATH.") from error
    _check_parts(parts)
    host = parts.hostname or ""
    target = WebhookTarget(
        parts.scheme,
        host,
        port if port is not None else DEFAULT_PORT[parts.scheme],
        (parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
    )
    try:
        literal = ip_address(host)
    except ValueError:
        if not allowed and target.port not in PORTS:
            raise InvalidRequest(NO_PORT.format(port=target.port)) from None
    else:
        check_address(literal, target, allowed)
    return target


def _check_parts(parts: SplitResult) -> None:
    if parts.scheme not in DEFAULT_PORT:
        raise InvalidRequest("The URL must start with https:// or http://.")
    if "@" in parts.netloc:
        raise InvalidRequest("Remove user and password. The signature identifies the sender.")
    if parts.fragment:
        raise InvalidRequest("Remove the part after #. It is never sent.")
    if not parts.hostname or len(parts.hostname) > 253 or "%" in parts.hostname:
        raise InvalidRequest("The URL has no valid host. Enter https://HOST/PATH.")


def resolved(target: WebhookTarget, allowed: Networks = ()) -> Sequence[Address]:
    """Return all addresses of a target. Raises InvalidRequest if any of them is not allowed."""
    none = InvalidRequest(NO_ADDRESS.format(host=target.host))
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise none from error
    addresses = dict.fromkeys(ip_address(str(each[4][0])) for each in found)
    if not addresses:
        raise none
    for address in addresses:
        check_address(address, target, allowed)
    return tuple(addresses)


def check_address(address: Address, target: WebhookTarget, allowed: Networks = ()) -> None:
    """Raise InvalidRequest if webhooks may not use this address and port. The error does not reveal
    whether a private name exists, or its address."""
    plain = unmapped(address)
    if any(plain in network for network in allowed if network.version == plain.version):
        return
    if not is_public(plain):
        raise InvalidRequest(NO_ADDRESS.format(host=target.host))
    if target.port not in PORTS:
        raise InvalidRequest(NO_PORT.format(port=target.port))


def unmapped(address: Address) -> Address:
    """Return the IPv4 address in an IPv6 address, if it has one, else the address itself."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return address.ipv4_mapped
        if address in NAT64:
            return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def is_public(address: Address) -> bool:
    """Whether it is the address of a public server on the Internet."""
    if isinstance(address, IPv6Address) and address not in UNICAST:
        return False
    return not any(address in network for network in SPECIAL)
