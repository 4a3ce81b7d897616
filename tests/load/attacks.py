"""The suite of attacks: `python -m tests.load.attacks [WORD...]`, or `make load`.

For each attack a real gateway runs on this machine, with Redis and a database of its own. While
eight bots play, a stranger attacks it; the attacks are those whose names contain one of the words,
or all. It prints what they do to the others, and ends by itself in some three minutes.
"""

from __future__ import annotations

import multiprocessing
import os
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

from arena.embedded import embedded_redis, free_port
from arena.store.opening import upgrade_store
from arena.store.registry import bots
from tests.load import others
from tests.load.attackers import ATTACKS, Count, Target

OTHERS, NEWCOMERS = 8, 4
QUIET_S, ATTACK_S = 2.0, 3.0
SILENT_S = 12.0  # connections that say nothing are closed after ten seconds
SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Arena:
    """What an attack needs to know of the arena."""

    port: int
    gateway: psutil.Process
    token: str  # of the attacker's own bot
    pipe: Connection

    def others(self) -> others.Seen:
        """What the other bots have seen since the last call."""
        self.pipe.send("next")
        seen = self.pipe.recv()
        assert isinstance(seen, others.Seen)
        return seen


@contextmanager
def arena() -> Iterator[Arena]:
    """A gateway with bots that play."""
    with tempfile.TemporaryDirectory(prefix="arena-load-") as folder, embedded_redis() as url:
        data, port = Path(folder), free_port()
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
        command = [sys.executable, "-m", "arena.cli", "gateway"]
        gateway = subprocess.Popen(command, env=os.environ | settings)
        try:
            _wait_for(url)
            here, there = SPAWN.Pipe()
            players = {bot.player: token for bot, token in honest}
            playing = SPAWN.Process(target=others.play, args=(port, url, players, late, there))
            playing.start()
            assert here.recv() == "ready"
            yield Arena(port, psutil.Process(gateway.pid), token, here)
            here.send("stop")
            playing.join(10)
        finally:
            gateway.kill()  # nobody is waiting for it to drain
            gateway.wait(20)


def _wait_for(url: str) -> None:
    with Redis.from_url(url) as client:
        limit = time.monotonic() + 20
        while not client.keys("arena:gateway:*"):
            if time.monotonic() > limit:
                raise SystemExit("The gateway did not start.")
            time.sleep(0.1)


def attacked(name: str, target: Target, results: Any) -> None:
    """Runs in a process of its own, which gives way to the others as far as it can."""
    os.nice(19)
    count = Count()
    results.send("ready")
    ATTACKS[name](target, count)
    results.send((count.attempts, count.refused))


def run(name: str, world: Arena) -> None:
    """Measures the others before and during an attack, and prints a line."""
    world.others()
    time.sleep(QUIET_S)
    before = world.others()
    here, there = SPAWN.Pipe()
    seconds = SILENT_S if "silent" in name else ATTACK_S
    target = Target(world.port, world.token, seconds)
    process = SPAWN.Process(target=attacked, args=(name, target, there))
    process.start()
    here.recv()  # it has started up
    world.others()
    used = sum(world.gateway.cpu_times()[:2])
    began = time.monotonic()
    attempts, refused = here.recv() if here.poll(seconds + 20) else (0, 0)
    took = time.monotonic() - began
    used = sum(world.gateway.cpu_times()[:2]) - used
    during = world.others()
    process.join(5)
    process.kill()
    print(line(name, attempts, refused, before, during, used / took), flush=True)


HEADER = (
    f"{'attack':<30} {'attempts':>10} {'refused':>9} {'p50 ms':>12} {'p99 ms':>14}"
    f" {'ratio':>6} {'slowest':>8} {'in after ms':>13} {'cores':>5} {'faults':>6}"
)


def line(
    name: str,
    attempts: int,
    refused: int,
    before: others.Seen,
    during: others.Seen,
    cores: float,
) -> str:
    """One line of the table: latencies before and during the attack, and how long newcomers took to
    get in during it, at the median and at most."""
    (p50, p99), (p50_now, p99_now) = quantiles(before.taken), quantiles(during.taken)
    entered = during.entered or [inf]
    return (
        f"{name:<30} {attempts:>10,} {refused:>9,} {p50:>5.1f} {p50_now:>6.1f}"
        f" {p99:>6.1f} {p99_now:>7.1f} {p99_now / p99:>6.1f}"
        f" {1000 * max(during.taken, default=0):>8.0f}"
        f" {1000 * statistics.median(entered):>5.0f} {1000 * max(entered):>7.0f}"
        f" {cores:>5.2f} {len(during.faults):>6}"
    )


def quantiles(seconds: list[float]) -> tuple[float, float]:
    """The median and the 99% quantile, in milliseconds."""
    cuts = statistics.quantiles(seconds or [0.0, 0.0], n=100)
    return 1000 * cuts[49], 1000 * cuts[98]


def main() -> None:
    words = sys.argv[1:]
    chosen = [name for name in ATTACKS if not words or any(word in name for word in words)]
    print(HEADER)
    for name in chosen:
        with arena() as world:
            run(name, world)


if __name__ == "__main__":
    main()
