"""Closes connections of banned callers, and excess connections of an address, which gRPC cannot.

They are file descriptors of this process. To gRPC, a socket that is shut down looks as if the
client had hung up.
"""

import asyncio
import os
import socket
import stat
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import structlog

from arena.base.addresses import Network, plain
from arena.base.config import Settings
from arena.service.gateway.rate_limiter import RateLimiter
from arena.service.gateway.throttle import Peer

log = structlog.get_logger(__name__)

HANG_UP_S = 0.005  # minimum between two rounds
COUNT_S = 2.0  # between two counts of the connections of each address
PAUSE_FACTOR = 10  # minimum pause, relative to the duration of a count
DESCRIPTORS = "/dev/fd"  # of this process, on Linux and macOS
ESTABLISHED = 1  # a TCP state of Linux (include/net/tcp_states.h)


class ConnectionCloser:
    """The task of one gateway."""

    def __init__(self, limiter: RateLimiter, port: int, settings: Settings) -> None:
        self._limiter = limiter
        self._port = port
        self._most = settings.people_per_address * settings.connections_per_person

    async def run(self) -> None:
        """Run until cancelled."""
        # In an attack the shared threads have a queue of tokens to look up.
        with ThreadPoolExecutor(1, "closer") as thread:
            await asyncio.gather(self._hang_up(thread), self._count(thread))

    async def _hang_up(self, thread: ThreadPoolExecutor) -> None:
        limiter, loop = self._limiter, asyncio.get_running_loop()
        while True:
            await limiter.hang_up_wanted.wait()
            limiter.hang_up_wanted.clear()
            peers, limiter.to_hang_up = limiter.to_hang_up, set()
            began = loop.time()
            await loop.run_in_executor(thread, hang_up, self._port, peers)
            await asyncio.sleep(max(HANG_UP_S, loop.time() - began))

    async def _count(self, thread: ThreadPoolExecutor) -> None:
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            await self._find_excess(thread)
            await asyncio.sleep(max(COUNT_S, PAUSE_FACTOR * (loop.time() - began)))

    async def _find_excess(self, thread: ThreadPoolExecutor) -> None:
        # Every connection is an open file, so few open files mean no excess.
        if open_files() <= self._most:
            return
        loop, busy = asyncio.get_running_loop(), frozenset(self._limiter.busy)
        found = await loop.run_in_executor(
            thread, excess, self._port, self._most, self._limiter.exempt, busy
        )
        if found:
            log.warning("an address has too many connections", closed=len(found))
            self._limiter.hang_up(found)


def open_files() -> int:
    """Return the number of file descriptors of this process, including connections."""
    with suppress(OSError):
        return len(os.listdir(DESCRIPTORS))
    return 0


def hang_up(port: int, peers: Collection[Peer]) -> int:
    """Close the connections of these peers to a port of this process. Return how many."""
    closed = 0
    for _, peer, connection in _connections(port):
        if peer in peers:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
                closed += 1
    return closed


def excess(
    port: int, most: int, exempt: Collection[Network], busy: Collection[Peer]
) -> frozenset[Peer]:
    """Return the connections beyond `most` of each address that is not exempt. Connections that are
    not `busy` (without a call) come first, and the newest of them first."""
    by_network = defaultdict[str, dict[Peer, tuple[bool, int]]](dict)
    for number, peer, connection in _connections(port):
        if not peer.within(exempt) and _is_open(connection):
            # Another thread's copy is the same connection.
            by_network[peer.network].setdefault(peer, (peer not in busy, number))
    # The system assigns the lowest free number, so the newest mostly have the highest.
    by_age = [sorted(found, key=found.__getitem__) for found in by_network.values()]
    return frozenset(peer for found in by_age for peer in found[most:])


def _is_open(connection: socket.socket) -> bool:
    """Return False for a connection that was shut down, but not yet closed by gRPC."""
    if sys.platform != "linux":
        return True
    (state,) = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)
    return state == ESTABLISHED


def _connections(port: int) -> Iterator[tuple[int, Peer, socket.socket]]:
    """Yield the connections to a port: number, peer, and a socket that is closed afterwards."""
    for name in os.listdir(DESCRIPTORS):
        number = int(name)
        try:
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
            # A number may be reused at any moment, but not a copy's number.
            copy = os.dup(number)
        except OSError:  # closed meanwhile
            continue
        with socket.socket(fileno=copy) as connection:
            peer = _peer(connection, port)
            if peer is not None:
                yield number, peer, connection


def _peer(connection: socket.socket, port: int) -> Peer | None:
    if connection.family not in (socket.AF_INET, socket.AF_INET6):
        return None
    try:
        if connection.getsockname()[1] != port:
            return None
        host, number, *_ = connection.getpeername()
        return Peer(plain(host.partition("%")[0]), number)
    except OSError:  # listening or closed
        return None
