"""A visitor with a stop-watch: one client on one connection, one page after another."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from arena.bench.addresses import Page
from arena.errors import Unavailable

PATIENCE_S = 600.0
LONGEST_S = 20.0  # of measuring one page, so that slow ones do not take for ever


@dataclass(frozen=True)
class Timing:
    """How long a page took, in milliseconds: `first` of all the times it was asked for, and the
    others of the measured ones. `cpu` is what the server computed for one, on average: that says
    what a page costs where other programs take their share of the machine (0 where the system
    does not tell)."""

    page: str
    address: str
    requests: int
    first: float
    p50: float
    p95: float
    slowest: float
    cpu: float
    kilobytes: float


class Visitor:
    """A client of the dashboard at a loopback port."""

    def __init__(self, port: int, cpu_seconds: Callable[[], float]) -> None:
        """`cpu_seconds` says how much the server has computed so far."""
        self._cpu_seconds = cpu_seconds
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)

    def leave(self) -> None:
        """Closes the connection."""
        self._connection.close()

    def time(self, page: Page, requests: int, warm_up: int) -> Timing:
        """Asks so many times, and some times before. Raises Unavailable for any other answer
        than 200."""
        first, _ = self._visit(page.addresses[0])
        for address in islice(cycle(page.addresses), warm_up):
            self._visit(address)
        taken, sizes, until = [], [], time.monotonic() + LONGEST_S
        cpu = self._cpu_seconds()
        for address in islice(cycle(page.addresses), requests):
            seconds, size = self._visit(address)
            taken.append(seconds)
            sizes.append(size)
            if time.monotonic() > until:
                break
        return Timing(
            page.name,
            page.addresses[0],
            len(taken),
            1e3 * first,
            1e3 * share(taken, 0.50),
            1e3 * share(taken, 0.95),
            1e3 * max(taken),
            1e3 * (self._cpu_seconds() - cpu) / len(taken),
            sum(sizes) / len(sizes) / 1024,
        )

    def _visit(self, address: str) -> tuple[float, int]:
        """Seconds until the whole answer was there, and its bytes."""
        began = time.perf_counter()
        try:
            self._connection.request("GET", address)
            answer = self._connection.getresponse()
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            # The server ends connections that were idle: the next one is timed anew.
            self._connection.close()
            began = time.perf_counter()
            self._connection.request("GET", address)
            answer = self._connection.getresponse()
        body = answer.read()
        taken = time.perf_counter() - began
        if answer.status != http.client.OK:
            raise Unavailable(f"The dashboard answered {address} with {answer.status}.")
        return taken, len(body)


def share(taken: Sequence[float], part: float) -> float:
    """The time within which that part of the requests was answered."""
    ordered = sorted(taken)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]
