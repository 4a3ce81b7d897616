"""Several writers at once: each match counted once, ratings as if there had been one writer."""

import random
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context, set_forkserver_preload
from pathlib import Path

import pytest

from arena.store import Store, open_store, upgrade_store
from arena.store.reports import leaderboard
from arena.store.save import MatchResult
from arena.store.tournaments import tournaments
from tests.integration.store.test_store_results import rating_state
from tests.made_results import entered, results, save

WRITERS = 4
set_forkserver_preload([__name__])  # imports the store once for all processes
EXECUTORS: dict[str, Callable[[], Executor]] = {
    "threads": partial(ThreadPoolExecutor, WRITERS),
    "processes": partial(ProcessPoolExecutor, WRITERS, get_context("forkserver")),
}


def write(url: str, found: list[MatchResult], luck: int) -> int:
    """Stores the results in chunks and in a shuffled order, like a worker."""
    chance = random.Random(luck)
    store = open_store(url)
    chunks = [found[start : start + 20] for start in range(0, len(found), 20)]
    chance.shuffle(chunks)
    stored = sum(save(store, chance.sample(chunk, len(chunk))) for chunk in chunks)
    store.dispose()
    return stored


@pytest.mark.parametrize("executor", EXECUTORS)
def test_overlapping_writers_store_each_match_once_and_rate_as_one_would(
    store: Store, tmp_path: Path, executor: str
) -> None:
    serial = upgrade_store(f"sqlite:///{tmp_path / 'serial.db'}")
    tournament = entered(serial, deals=5)
    played = results(tournament)
    save(serial, played)
    assert entered(store, deals=5) == tournament
    url = store.url.render_as_string(hide_password=False)

    pool: Executor
    with EXECUTORS[executor]() as pool:
        stored = list(pool.map(partial(write, url, played), range(WRITERS)))

    assert sum(stored) == len(played) == 150
    assert rating_state(store) == rating_state(serial)
    with store.read() as conn:
        assert tournaments.get(conn, tournament.id).played == 150
    serial.dispose()


def test_writers_of_several_tournaments_do_not_wait_for_each_other_forever(store: Store) -> None:
    played = [results(entered(store), luck) for luck in range(3)]
    mixed = [match for trio in zip(*played, strict=True) for match in trio]
    url = store.url.render_as_string(hide_password=False)

    with ThreadPoolExecutor(WRITERS) as pool:
        stored = list(pool.map(partial(write, url, mixed), range(WRITERS)))

    assert sum(stored) == 180
    with store.read() as conn:
        table = leaderboard.table(conn, "lama")
    assert sum(line.matches for line in table) == 180 * 3
    assert sum(line.elo for line in table) == pytest.approx(5 * 1500, abs=1e-9)
