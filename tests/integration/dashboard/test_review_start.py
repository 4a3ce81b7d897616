"""A review starts at once, also while the review worker calculates luck."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis

from arena.base.config import Settings
from arena.service.live import keys
from arena.service.live.dispatch import send_review
from arena.service.live.queues import LUCK
from arena.store import Store
from arena.store.matches.matches import StoredMatch
from arena.store.reviews import reading, requests
from arena.value.review.values import reviewer
from tests.integration.reviewed import some_matches
from workers.setup.app import make_app

PATIENCE_S = 60.0
# The real worker, whose calculation of luck never ends.
WORKER = """
import sys, time
from pathlib import Path
from arena.base.config import Settings
from workers import tasks
from workers.setup.run import run_worker
tasks.catch_up = lambda *_, **__: time.sleep(600)
data, url = sys.argv[1:]
run_worker(Settings(data=Path(data), redis_url=url, metrics_port=0), review=True)
"""


@pytest.fixture
def match(sqlite_store: Store) -> StoredMatch:
    return some_matches(sqlite_store)[0]


@pytest.fixture
def worker(match: StoredMatch, redis_url: str, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    environment = {"PATH": "", "ARENA_DATA": str(tmp_path), "ARENA_REDIS_URL": redis_url}
    started = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(tmp_path), redis_url],
        env=environment,
        start_new_session=True,
    )
    yield started
    os.killpg(started.pid, signal.SIGKILL)  # with the processes of its pool
    started.wait()


def wait_until(so: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not so():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def test_a_review_does_not_wait_for_luck(
    sqlite_store: Store,
    redis_client: redis.Redis,
    redis_url: str,
    tmp_path: Path,
    match: StoredMatch,
    worker: subprocess.Popen[bytes],
) -> None:
    app = make_app(Settings(data=tmp_path, redis_url=redis_url))
    app.send_task("arena.luck", queue=LUCK)
    wait_until(lambda: redis_client.exists(keys.CALCULATING_LUCK), "no luck is calculated")
    with sqlite_store.write() as conn:
        requests.ask(conn, match, reviewer().name, "ada", time.time())
    send_review(redis_url)

    def made() -> bool:
        with sqlite_store.read() as conn:
            found = reading.of_match(conn, match.id, reviewer().name)
        return found is not None and found.state == "done"

    wait_until(made, "no review is made")
    assert redis_client.exists(keys.CALCULATING_LUCK)
    assert worker.poll() is None
