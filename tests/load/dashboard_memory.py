"""Measures a dashboard's memory after thousands of requests for all kinds of pages.

    python -m tests.load.dashboard_memory --requests 6000 --matches 20000

The real server of `arena dashboard` serves a synthetic arena. Concurrent clients request all kinds
of pages in random order. The result is the server's memory (PSS) in MB.
"""

import argparse
import http.client
import random
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from arena.base.config import Settings
from arena.operations.supervise import stack
from arena.operations.supervise.supervisor import Supervisor
from arena.store import open_store
from tests.lab.bench.addresses import pages
from tests.lab.bench.connected import connect_some
from tests.lab.bench.dashboard import START_S, make_arena
from tests.lab.bench.usage import memory_below
from tests.servers import embedded_redis, free_port

MORE = (
    *("/", "/status", "/play", "/bots", "/rules", "/rules/lama", "/sdk", "/api", "/help/ratings"),
    *("/sign-in", "/sign-up", "/search?q=bot", "/api/health", "/nothing-here", "/healthz"),
    *("/matches?game=lama&margin=1", "/api/matches.csv?limit=1000", "/static/arena.css"),
)


@contextmanager
def served(settings: Settings) -> Iterator[Supervisor]:
    """Starts a dashboard."""
    with (
        embedded_redis() as redis_url,
        Supervisor(settings.data / "logs", lambda _: None, give_up_after=1) as supervisor,
    ):
        live = settings.model_copy(update={"redis_url": redis_url})
        connect_some(live)
        supervisor.start(stack.dashboard(live))
        supervisor.await_ready("dashboard", within_s=START_S)
        yield supervisor


def addresses(settings: Settings) -> list[str]:
    """Hundreds of pages of all kinds, more than any cache holds."""
    store = open_store(settings.database)
    with store.read() as conn:
        found = [address for page in pages(conn) for address in page.addresses]
    store.dispose()
    return [*found, *MORE]


def visit(port: int, wanted: Sequence[str]) -> int:
    """Requests these in order over one connection; returns the number of pages."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    good = 0
    for address in wanted:
        connection.request("GET", address, headers={"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        answer.read()
        good += answer.status == http.client.OK
    connection.close()
    return good


def main() -> None:
    """Prints the memory after batches of requests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=6000)
    parser.add_argument("--matches", type=int, default=20_000)
    parser.add_argument("--bots", type=int, default=60)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--every", type=int, default=500, help="requests between two lines")
    asked = parser.parse_args()
    rng = random.Random(7)
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="arena-")))
        settings = Settings(data=folder, dashboard_port=free_port(), log_level="warning")
        make_arena(settings, asked.matches, asked.bots, lambda _: None)
        supervisor = opened.enter_context(served(settings))
        every = addresses(settings)
        print(f"{0:>7} requests  {megabytes(supervisor):6.0f} MB", flush=True)
        with ThreadPoolExecutor(asked.clients) as clients:
            for done in range(asked.every, asked.requests + 1, asked.every):
                wanted = rng.choices(every, k=asked.every)
                parts = [wanted[each :: asked.clients] for each in range(asked.clients)]
                good = sum(clients.map(lambda part: visit(settings.dashboard_port, part), parts))
                line = f"{done:>7} requests  {megabytes(supervisor):6.0f} MB"
                print(f"{line}  {good} of {asked.every} answered 200", flush=True)


def megabytes(supervisor: Supervisor) -> float:
    """The total memory of the dashboard's processes."""
    return memory_below(supervisor.pid("dashboard")) / 2**20


if __name__ == "__main__":
    main()
