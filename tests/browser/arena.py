"""A whole arena, started by `arena up`, with its own database, for browser tests."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arena.bots import HOUSE
from arena.store import upgrade_store
from tests.browser.filled import fill

START_WITHIN_S = 90.0
STOP_WITHIN_S = 20.0


@dataclass(frozen=True)
class Arena:
    """A running arena. `places` are parts of URLs, see `filled`."""

    data: Path
    dashboard: str
    gateway: str
    places: Mapping[str, str]

    def run(self, *arguments: str) -> None:
        """Runs `arena ...` for this arena."""
        command = [sys.executable, "-P", "-m", "arena.cli", *arguments, "--data", str(self.data)]
        subprocess.run(command, check=True, capture_output=True, env=_clean())

    def told(self, path: str) -> dict[str, object]:
        """Returns the JSON API's answer."""
        with urllib.request.urlopen(f"{self.dashboard}{path}", timeout=10) as answer:
            told: dict[str, object] = json.loads(answer.read())
        return told


@contextmanager
def arena_up() -> Iterator[Arena]:
    """Starts an arena with content on every page and connected house bots."""
    # Not in pytest's folder, which other users cannot enter: hosted bots may run as such.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        with _arena_in(Path(folder)) as arena:
            yield arena


@contextmanager
def _arena_in(data: Path) -> Iterator[Arena]:
    store = upgrade_store(f"sqlite:///{data / 'arena.db'}")
    places = fill(store)
    store.dispose()
    command = [sys.executable, "-P", "-m", "arena.cli", "up", "--data", str(data), "--workers", "1"]
    with (data / "up.log").open("w") as log:
        process = subprocess.Popen(
            [*command, "--port", "0", "--dashboard-port", "0"], env=_clean(), stderr=log, stdout=log
        )
    try:
        announced = data / "arena.json"
        wait_for(announced.exists, process)
        running = json.loads(announced.read_text())
        arena = Arena(data, running["dashboard"], running["gateway"], places)
        wait_for(lambda: len(_connected(arena)) == len(HOUSE), process)
        yield arena
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(STOP_WITHIN_S)


def _connected(arena: Arena) -> list[object]:
    told = arena.told("/api/bots")["bots"]
    assert isinstance(told, list)
    return [bot for bot in told if bot["connection"]["state"] == "connected"]


def wait_for(
    condition: Callable[[], object],
    process: subprocess.Popen[bytes],
    within_s: float = START_WITHIN_S,
) -> None:
    """Waits for the condition; fails if the process ends."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert process.poll() is None, "the process ended"
        assert time.monotonic() < deadline, "the condition did not hold in time"
        time.sleep(0.1)


def _clean() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
