"""A client that times requests: one connection, one page after another."""

import http.client
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from arena.base.errors import Unavailable
from tests.lab.bench.addresses import Page

TIMEOUT_S = 600.0
LONGEST_S = 20.0  # the most time spent measuring one page


@dataclass(frozen=True)
class Timing:
    """How long a page took, in milliseconds: `first` for the very first request, the others over
    the measured requests. `cpu` is the server's mean CPU time per request, which says what a page
    costs even when other programs use the machine (0 where the system does not report it)."""

    page: str
    address: str
    requests: int
    first: float
    p50: float
    p95: float
    slowest: float
    cpu: float
    kilobytes: float


class TimedVisitor:
    """A client of a dashboard on a loopback port."""

    def __init__(self, port: int, cpu_seconds: Callable[[], float]) -> None:
        """`cpu_seconds` returns the CPU time the server has used so far."""
        self._cpu_seconds = cpu_seconds
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)

    def leave(self) -> None:
        """Closes the connection."""
        self._connection.close()

    def time(self, page: Page, requests: int, warm_up: int) -> Timing:
        """Requests a page `requests` times after `warm_up` uncounted requests. Raises Unavailable
        if any answer is not 200."""
        first, _ = self._visit(page.addresses[0])
        for address in islice(cycle(page.addresses), warm_up):
            self._visit(address)
        durations, sizes, until = [], [], time.monotonic() + LONGEST_S
        cpu = self._cpu_seconds()
        for address in islice(cycle(page.addresses), requests):
            seconds, size = self._visit(address)
            durations.append(seconds)
            sizes.append(size)
            if time.monotonic() > until:
                break
        return Timing(
            page.name,
            page.addresses[0],
            len(durations),
            1e3 * first,
            1e3 * share(durations, 0.50),
            1e3 * share(durations, 0.95),
            1e3 * max(durations),
            1e3 * (self._cpu_seconds() - cpu) / len(durations),
            sum(sizes) / len(sizes) / 1024,
        )

    def _visit(self, address: str) -> tuple[float, int]:
        """Seconds until the whole answer has arrived, and its size in bytes."""
        began = time.perf_counter()
        try:
            self._connection.request("GET", address)
            answer = self._connection.getresponse()
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            # The server closed an idle connection: reconnect and restart the clock.
            self._connection.close()
            began = time.perf_counter()
            self._connection.request("GET", address)
            answer = self._connection.getresponse()
        body = answer.read()
        seconds = time.perf_counter() - began
        if answer.status != http.client.OK:
            raise Unavailable(f"The dashboard answered {address} with {answer.status}.")
        return seconds, len(body)


def share(durations: Sequence[float], part: float) -> float:
    """The quantile `part` of these times."""
    ordered = sorted(durations)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]
