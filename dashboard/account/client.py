"""Where a request comes from."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

from flask import request

IPV6_PREFIX = 64  # the least that one household or machine has to itself


def address() -> str:
    """The address that requests are counted for: of IPv6, where one has many, the network's."""
    text = request.remote_addr or ""
    try:
        ip = ip_address(text.partition("%")[0])
    except ValueError:
        return text or "unknown"
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped:
            return str(ip.ipv4_mapped)
        return str(ip_network((ip, IPV6_PREFIX), strict=False))
    return str(ip)
