"""Counts the instructions of fixed workloads. On a busy machine they vary by less than a percent.

    python -m tests.lab.bench.instructions WORKLOAD TIMES      # runs it, and prints nothing

They are counted by perf if it is allowed, else by callgrind.
"""

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from arena.base.errors import ArenaError
from arena.games import packed_log, record
from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import GAMES, game_class
from arena.protocol import decisions
from arena.protocol.v1 import play_pb2 as pb

SEATS = 4
TIMES = 50  # how often a workload is run
WITHOUT_CHANCE = {"PYTHONHASHSEED": "0", "ARENA_CONFIG": ""}


class NoCounter(ArenaError):
    """No instruction counter is available."""


class CannotRun(ArenaError):
    """This version of the code cannot run the workload."""


# The workloads


def play(game: str, times: int) -> None:
    """Play matches of random legal actions."""
    kind, rng = game_class(game), random.Random(1)
    for _ in range(times):
        state = kind(SEATS, rng.randbytes(16))
        while not state.finished:
            legal = state.legal_actions
            state.apply(legal[int(rng.random() * len(legal))])


def played(times: int) -> Iterator[Match]:
    """Yield matches of random answers, alternating the games."""
    rng, names = random.Random(1), list(GAMES)
    seats = tuple(Seat(name) for name in "abcd")
    for number in range(times):
        match = Match(MatchSetup(f"m{number}", names[number % 4], rng.randbytes(16), seats))
        while view := match.decision:
            match.answer(rng.choice(view.indices), rng.randrange(10_000))
        yield match


def matches(times: int) -> None:
    """Play matches as a worker does, with a view of each decision."""
    for _ in played(times):
        pass


def records(times: int) -> None:
    """Pack, replay and export matches."""
    for match in played(times):
        record.export(packed_log.replay(match.setup, packed_log.pack(match)))


def wire(times: int) -> None:
    """Encode and decode each decision of matches."""
    for match in played(times):
        again = Match(match.setup)
        for entry in match.logged:
            view = again.decision
            assert view is not None
            sent = decisions.encode_decision(view, entry.number, 1000)
            decisions.decode_view(pb.Decision.FromString(sent).view)
            again.answer(entry.action)


def worker(times: int) -> None:
    """Run the part of a worker in a tournament, with packed decisions."""
    from tests.lab.bench import one_worker  # missing in earlier versions of the code

    one_worker.play("lama", times)


WORKLOADS: Mapping[str, Callable[[int], None]] = {
    **{game: partial(play, game) for game in GAMES},
    "matches": matches,
    "records": records,
    "wire": wire,
    "worker": worker,
}

# Counting


def counted(workload: str, tree: Path, pure: bool, times: int = TIMES) -> int:
    """Return the instructions of a process that runs a workload `times` times, with the code in
    `tree`. With 0 times they are those of its start. Raises NoCounter and CannotRun.
    """
    environment = os.environ | WITHOUT_CHANCE | {"PYTHONPATH": str(tree), "ARENA_PURE": str(+pure)}
    program = [sys.executable, "-m", "tests.lab.bench.instructions", workload, str(times)]
    for counter, pattern in COUNTERS:
        if shutil.which(counter[0]):
            done = subprocess.run(
                [*counter, *program],
                cwd=tree,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode == 0 and (found := re.search(pattern, done.stderr)):
                return int(found[1])
            if "Traceback" in done.stderr:
                raise CannotRun(done.stderr.strip().splitlines()[-1])
    raise NoCounter("No instruction counter found. Install valgrind: apt-get install valgrind.")


COUNTERS: Sequence[tuple[Sequence[str], str]] = (
    (("perf", "stat", "-x,", "-e", "instructions:u"), r"(?m)^(\d+),"),
    (
        ("valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}"),
        r"Collected\s*: (\d+)",
    ),
)


if __name__ == "__main__":
    WORKLOADS[sys.argv[1]](int(sys.argv[2]))
