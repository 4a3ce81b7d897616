"""The suite of attacks: `python -m tests.load.attacks [WORD...]`, or `make load`.

For each attack, a real gateway and a dashboard run on this machine with a separate Redis and
database. Eight bots play and a visitor reads pages during the attack. Words select attacks by their
names; without words, all attacks run. Prints a table of the effects on the others in about seven
minutes.
"""

import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil
from redis import Redis

from arena.operations.supervise.stack import is_healthy
from arena.store.opening import upgrade_store
from arena.store.registry import bots
from tests.load import others
from tests.load.attackers import ATTACKS, Count, Target
from tests.load.dashboard_attackers import DASHBOARD_ATTACKS
from tests.load.http2_attackers import HTTP2_ATTACKS
from tests.servers import embedded_redis

PORTS = range(20_000, 30_000)  # below the ports of attackers' connections
OTHERS, NEWCOMERS = 8, 4
QUIET_S, ATTACK_S = 2.0, 3.0
SILENT_S = 12.0  # silent connections are closed after ten seconds
EVERY = ATTACKS | HTTP2_ATTACKS | DASHBOARD_ATTACKS
SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Arena:
    """The properties of the arena that an attack needs."""

    port: int
    pages: int  # the dashboard's port
    gateway: psutil.Process
    token: str  # of the attacker's bot
    pipe: Connection

    def others(self) -> others.Seen:
        """Returns the observations of the other bots since the last call."""
        self.pipe.send("next")
        seen = self.pipe.recv()
        assert isinstance(seen, others.Seen)
        return seen


@contextmanager
def arena() -> Iterator[Arena]:
    """A gateway with bots that play."""
    with tempfile.TemporaryDirectory(prefix="arena-load-") as folder, embedded_redis() as url:
        data, (port, pages) = Path(folder), random.sample(PORTS, 2)
        store = upgrade_store(f"sqlite:///{data / 'arena.db'}")
        with store.write() as conn:
            honest = [bots.register(conn, f"other{number}") for number in range(OTHERS)]
            late = [bots.register(conn, f"newcomer{number}")[1] for number in range(NEWCOMERS)]
            _, token = bots.register(conn, "stranger")
        store.dispose()
        settings = {
            "ARENA_DATA": folder,
            "ARENA_REDIS_URL": url,
            "ARENA_HOST": "[::]",
            "ARENA_PORT": str(port),
            "ARENA_ADMIN_TOKEN": "secret",
            "ARENA_EXEMPT_ADDRESSES": "::1",
            "ARENA_LOG_LEVEL": os.environ.get("ARENA_LOG_LEVEL", "error"),
        }
        command = [sys.executable, "-m", "arena.cli"]
        gateway = subprocess.Popen([*command, "gateway"], env=os.environ | settings)
        at = {"ARENA_HOST": "127.0.0.1", "ARENA_DASHBOARD_PORT": str(pages)}
        dashboard = subprocess.Popen([*command, "dashboard"], env=os.environ | settings | at)
        try:
            _wait_for(url)
            _wait_for_pages(pages)
            here, there = SPAWN.Pipe()
            players = {bot.player: token for bot, token in honest}
            playing = SPAWN.Process(
                target=others.play, args=(port, pages, url, players, late, there)
            )
            playing.start()
            assert here.recv() == "ready"
            yield Arena(port, pages, psutil.Process(gateway.pid), token, here)
            here.send("stop")
            playing.join(10)
        finally:
            for process in gateway, dashboard:  # without draining
                process.kill()
                process.wait(20)


def _wait_for(url: str) -> None:
    with Redis.from_url(url) as client:
        limit = time.monotonic() + 20
        while not client.keys("arena:gateway:*"):
            if time.monotonic() > limit:
                raise SystemExit("The gateway did not start.")
            time.sleep(0.1)


def _wait_for_pages(port: int) -> None:
    limit = time.monotonic() + 20
    while not is_healthy("127.0.0.1", port):
        if time.monotonic() > limit:
            raise SystemExit("The dashboard did not start.")
        time.sleep(0.1)


def attacked(name: str, target: Target, results: Any) -> None:
    """Runs the attack in a separate process of low priority."""
    os.nice(19)
    count = Count()
    results.send("ready")
    EVERY[name](target, count)
    results.send(count)


def run(name: str, world: Arena) -> None:
    """Measures the other bots before and during an attack, and prints a line."""
    world.others()
    time.sleep(QUIET_S)
    before = world.others()
    here, there = SPAWN.Pipe()
    seconds = SILENT_S if "silent" in name else ATTACK_S
    target = Target(world.port, world.token, seconds, world.pages)
    process = SPAWN.Process(target=attacked, args=(name, target, there))
    process.start()
    here.recv()  # it has started up
    world.others()
    used = sum(world.gateway.cpu_times()[:2])
    began = time.monotonic()
    count = here.recv() if here.poll(seconds + 20) else Count()
    took = time.monotonic() - began
    used = sum(world.gateway.cpu_times()[:2]) - used
    during = world.others()
    process.join(5)
    process.kill()
    print(line(name, count, before, during, used / took), flush=True)


HEADER = (
    f"{'attack':<32} {'attempts':>9} {'refused':>8} {'pages p95 ms':>13} {'decisions p99 ms':>16}"
    f" {'ratio':>6} {'in after ms':>13} {'cores':>5} {'blamed':>6}  refusal"
)


def line(name: str, count: Count, before: others.Seen, during: others.Seen, cores: float) -> str:
    """A line of the table: latencies before and during the attack, median and maximum times of
    newcomers to connect during it, and the answers to the attacker."""
    pages, pages_now = quantile(before.pages, 0.95), quantile(during.pages, 0.95)
    p99, p99_now = quantile(before.taken, 0.99), quantile(during.taken, 0.99)
    entered = during.entered or [inf]
    refusal = ", ".join(how for how, _ in count.refusals.most_common(2)) or "none"
    return (
        f"{name:<32} {count.attempts:>9,} {count.refused:>8,} {pages:>5.0f} {pages_now:>7.0f}"
        f" {p99:>7.1f} {p99_now:>8.1f} {p99_now / p99:>6.1f}"
        f" {1000 * statistics.median(entered):>5.0f} {1000 * max(entered):>7.0f}"
        f" {cores:>5.2f} {len(during.faults):>6}  {refusal}"
    )


def quantile(seconds: list[float], share: float) -> float:
    """The value in milliseconds; infinite without values."""
    return 1000 * sorted(seconds)[int(share * len(seconds))] if seconds else inf


def main() -> None:
    words = sys.argv[1:]
    chosen = [name for name in EVERY if not words or any(word in name for word in words)]
    print(HEADER)
    for name in chosen:
        with arena() as world:
            run(name, world)


if __name__ == "__main__":
    main()
