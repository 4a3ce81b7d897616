"""docs/hosting.md and docs/sandbox.md agree with the code."""

import re
from pathlib import Path

from arena.hosting.hosted.fork_server import FILES_OF_A_PROCESS
from arena.hosting.hosted.inside.fork_server import MOST_THREADS
from arena.hosting.hosted.judge import MOST_CHOICES, THREADS_EACH, TRIES
from arena.hosting.hosted.process import LARGEST_ANSWER
from arena.hosting.hosted.program import Allowance
from arena.hosting.sandbox.kinds import FIRST_USER, USERS
from arena.service.host import builds
from arena.service.host.artifacts import MOST_UNUSED
from arena.service.host.host import BROKEN_S, KEPT_S, STOP_S
from arena.service.live.hosting import LEASE_S
from arena.store.registry.built import FAILED_REBUILDS, FAILING_S
from arena.store.registry.submissions import KEPT_DAYS

ROOT = Path(__file__).parents[3]
HOSTING = " ".join((ROOT / "docs/hosting.md").read_text().split())
SANDBOX = (ROOT / "docs/sandbox.md").read_text()


def test_times_and_users_are_those_of_the_code() -> None:
    assert f"({FIRST_USER} to {FIRST_USER + USERS - 1}," in HOSTING
    assert LEASE_S == 6
    assert "When a host dies, they take over within six seconds" in HOSTING
    assert STOP_S == 5
    assert "leaves its bots to the others within five seconds" in HOSTING
    assert BROKEN_S == Allowance().idle_s == 60
    assert "sandbox ends after a minute without work" in HOSTING
    assert "tries it again after a minute" in HOSTING
    assert TRIES == 3
    assert MOST_UNUSED == 1 << 30
    assert "up to 1 GB of earlier ones" in HOSTING
    assert (FAILING_S, FAILED_REBUILDS) == (6 * 3600, 5)
    assert "After six hours and at least five attempts, the version is no longer hosted" in HOSTING
    assert KEPT_S == 3600
    assert "removes unused builds each hour" in HOSTING
    assert f"after {KEPT_DAYS} days" in HOSTING
    assert (
        "The first two times that the kernel ends a bot's process for lack of memory, this is not "
        "a fault." in HOSTING
    )
    assert builds.IDLE_CORES == 0.5
    assert "starts another build if half a core is idle" in HOSTING
    assert f"none has started for {builds.LONG_S:g} seconds" in HOSTING


def test_limits_of_a_sandbox_are_those_of_the_code() -> None:
    assert f"open files ({FILES_OF_A_PROCESS})" in SANDBOX
    assert f"{MOST_THREADS} threads of one user" in SANDBOX
    assert f"{THREADS_EACH} threads of a process" in SANDBOX
    assert f"At most {LARGEST_ANSWER >> 20} MB in a message and {MOST_CHOICES} choices" in SANDBOX


def test_files_that_layers_are_in_are_there() -> None:
    table = SANDBOX.split("## Layers")[1].split("\n## ")[0]
    folders = [
        ROOT / "arena" / name for name in ("hosting", "hosting/sandbox", "hosting/hosted", "base")
    ]
    files = re.findall(r"`([\w/]+\.py)`", table)
    assert len(files) > 10
    for file in files:
        assert any((folder / file).is_file() for folder in folders), file
