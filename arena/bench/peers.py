"""The engines of others beside ours, in turns on the same machine.

They are installed from PyPI into an environment of their own, which is kept. What plays them there
is `peer_games`.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from arena.base.errors import Unavailable
from arena.bench import peer_games
from arena.bench.engine import measure

OPENSPIEL, RLCARD, PETTINGZOO = "2.0.2", "1.2.0", "1.27.0"
PINNED = (
    f"open-spiel=={OPENSPIEL}",
    f"rlcard=={RLCARD}",
    f"pettingzoo=={PETTINGZOO}",
    "pygame==2.6.1",  # which PettingZoo imports
)
# By game of `peer_games`: the engine, and the game as people know it.
TITLES = {
    "crazy_eights": (f"OpenSpiel {OPENSPIEL}", "Crazy Eights"),
    "uno": (f"RLCard {RLCARD}", "UNO"),
    "texas_holdem": (f"PettingZoo {PETTINGZOO}", "Texas hold 'em"),
}
OURS = "lama"


@dataclass(frozen=True)
class PeerSpeed:
    """How fast an engine is, and how many times as fast ours was, turn by turn."""

    engine: str
    game: str
    decisions_per_s: float  # the median of all turns
    ratio: float  # the median over turns of ours to theirs


def default_folder() -> Path:
    """Where their environment is kept, one for each Python."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "lama-arena" / f"peers-{sys.version_info[0]}.{sys.version_info[1]}"


def environment(folder: Path, tell: Callable[[str], None]) -> Path:
    """The Python of the environment, which is made if it is not there. Raises Unavailable."""
    python, ready = folder / "bin" / "python", folder / " ".join(PINNED)
    if not ready.exists():
        tell(f"Installing {', '.join(PINNED)} into {folder} (once, some 300 MB)")
        try:
            venv.create(folder, with_pip=True, clear=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Unavailable(f"No environment can be made in {folder}: {error}.") from None
        _ran(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PINNED)
        ready.touch()
    return python


def speed(python: Path, game: str, seconds: float, seed: int) -> float:
    """Decisions a second of one of their games. Raises Unavailable."""
    return float(_ran(python, "-W", "ignore", peer_games.__file__, game, str(seconds), str(seed)))


def _ran(python: Path, *arguments: str) -> str:
    """The last line that it prints."""
    # Nothing of ours is to be found there.
    hidden = ("PYTHONPATH", "PYTHONHOME")
    environ = {name: value for name, value in os.environ.items() if name not in hidden}
    command = [str(python), *arguments]
    done = subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, check=False, env=environ
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise Unavailable(f"{' '.join(command[:4])} ... failed: {last}")
    return (done.stdout.strip().splitlines() or [""])[-1]


def compare(
    python: Path, seconds: float, turns: int, tell: Callable[[str], None]
) -> tuple[float, list[PeerSpeed]]:
    """Measures ours and each of theirs in turns, for so many seconds each; ours is LAMA at as many
    seats. Returns the median of ours (decisions/s), and theirs. Raises Unavailable."""
    ours: list[float] = []
    theirs: dict[str, list[float]] = {game: [] for game in TITLES}
    for turn in range(turns):
        tell(f"Turn {turn + 1} of {turns}")
        ours.append(measure(OURS, peer_games.SEATS, seconds, turn).decisions_per_s)
        for game, found in theirs.items():
            found.append(speed(python, game, seconds, turn))
    return statistics.median(ours), [
        PeerSpeed(
            *TITLES[game],
            statistics.median(found),
            statistics.median(mine / one for mine, one in zip(ours, found, strict=True)),
        )
        for game, found in theirs.items()
    ]
