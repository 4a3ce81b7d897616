"""Effects of attacks by hosted bots: `python -m tests.load.hosted_attackers`.

Four connected bots play. Four hosted bots play in a separate tournament: bots that compute, bots
that attack everything they can reach, and bots that sleep, interleaved. They behave in the trial
match after their upload, which has two seats. Prints the decision times of the connected bots by
the gateway's clock. Ends in about three minutes.
"""

import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles

from arena.games import packed_log
from arena.protocol.v1 import control_pb2 as pb
from tests.lab.bench.hosted_bots import PROGRAM, SEATS, Stage, staged, tournament

TURNS, MATCHES = 3, 300
ENDLESS = 100_000
ATTACKER = """
import os, random, sys, threading, time

from arena.sdk import Bot


def spin():
    while True:
        pass


def memory():
    kept = []
    while True:
        kept.append(bytearray(10_000_000))


def flood():
    while True:
        os.write(2, b"x" * 65536)


def frames():
    while True:
        os.write(3, os.urandom(4096))


def processes():
    while True:
        try:
            os.fork()
        except OSError:
            threading.Thread(target=spin).start()


class Attacker(Bot):
    games = ("lama",)

    def choose(self, view):
        if view.seats == 4 and random.random() < 0.2:
            random.choice([spin, memory, flood, frames, processes])()
        return view.actions[0]
"""

SLEEPER = """
import time

from arena.sdk import Bot


class Sleeper(Bot):
    games = ("lama",)

    def choose(self, view):
        if view.seats == 4:
            time.sleep(28)
        return view.actions[0]
"""


def names(kind: str) -> list[str]:
    """Four bots of a kind."""
    return [f"{kind}{number}" for number in range(SEATS)]


def latencies(stage: Stage, number: int) -> list[int]:
    """Latencies of all decisions of a tournament, in microseconds."""
    found = stage.matches(number)
    return [one.latency_us for match in found for one in packed_log.unpack(match.log)]


def beside(stage: Stage, kind: str, seed: int) -> tuple[list[int], int]:
    """Latencies and faults of the connected bots while hosted bots of this kind play."""
    spec = tournament(names(kind), ENDLESS, seed=seed, move_ms=100)
    other = stage.control.create_tournament(spec).id if kind else 0
    stage.arena.supervisor.pause(2.0)
    found = stage.play(tournament(names("plain"), MATCHES, seed=seed, move_ms=1000))
    if kind:
        stage.control.cancel_tournament(pb.TournamentId(id=other))
        stage.arena.supervisor.pause(2.0)
    faults = sum(seat.faults for match in stage.matches(found.id) for seat in match.seats)
    return latencies(stage, found.id), faults


def main() -> None:
    """Plays and prints the results."""
    with tempfile.TemporaryDirectory(prefix="arena-load-") as folder, staged(print) as stage:
        programs = {
            "plain": PROGRAM.format(in_flight=64, seconds=0),
            "computing": PROGRAM.format(in_flight=1, seconds=0.002),
            "attacking": ATTACKER,
            "sleeping": SLEEPER,
        }
        for kind, text in programs.items():
            program = Path(folder) / f"{kind}.py"
            program.write_text(text)
            (stage.connect if kind == "plain" else stage.submit)(names(kind), program)
        stage.wait_for([name for kind in programs for name in names(kind)])
        told: dict[str, list[tuple[float, float]]] = {}
        for turn in range(TURNS):
            for kind in ("", "computing", "attacking", "sleeping"):
                taken, faults = beside(stage, kind, turn + 1)
                cut = quantiles(taken, n=100)
                told.setdefault(kind, []).append((cut[49] / 1000, cut[98] / 1000))
                sys.stdout.write(
                    f"{kind or 'alone':10} median {cut[49] / 1000:6.2f} ms, 99th percentile"
                    f" {cut[98] / 1000:6.2f} ms, {faults} faults in {len(taken):,} decisions\n"
                )
        for kind, pairs in told.items():
            middle = median(high for _, high in pairs)
            sys.stdout.write(f"{kind or 'alone':10} 99th percentile, median {middle:.2f} ms\n")


if __name__ == "__main__":
    main()
