"""The data folder: one arena at a time, and where to find it."""

from __future__ import annotations

import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena import folder
from arena.errors import Unavailable

RUNNING = folder.Running(
    pid=1,
    gateway="127.0.0.1:7420",
    dashboard="http://127.0.0.1:7421",
    database_url="sqlite:////tmp/arena.db",
    redis_url="redis://127.0.0.1:6379/0",
    admin_token="secret",
)


def test_an_announced_arena_is_found_while_it_holds_the_lock(tmp_path: Path) -> None:
    with folder.lock(tmp_path):
        folder.announce(tmp_path, RUNNING)

        assert folder.find_running(tmp_path) == RUNNING


def test_the_announcement_of_an_arena_that_was_killed_is_not_believed(tmp_path: Path) -> None:
    with folder.lock(tmp_path):
        folder.announce(tmp_path, RUNNING)

    assert folder.find_running(tmp_path) is None


def test_no_arena_is_found_in_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    assert folder.find_running(tmp_path / "nowhere") is None


def test_an_arena_that_was_retracted_is_not_found(tmp_path: Path) -> None:
    with folder.lock(tmp_path):
        folder.announce(tmp_path, RUNNING)
        folder.retract(tmp_path)

        assert folder.find_running(tmp_path) is None


def test_only_the_owner_may_read_the_announcement(tmp_path: Path) -> None:
    folder.announce(tmp_path, RUNNING)

    assert stat.S_IMODE((tmp_path / "arena.json").stat().st_mode) == 0o600


def test_whoever_reads_while_an_arena_is_announced_finds_all_of_it_or_none(tmp_path: Path) -> None:
    done = threading.Event()

    def announce() -> None:
        for _ in range(300):
            folder.announce(tmp_path, RUNNING)
        done.set()

    with folder.lock(tmp_path), ThreadPoolExecutor(1) as pool:
        announced = pool.submit(announce)
        while not done.is_set():
            assert folder.find_running(tmp_path) in (None, RUNNING)
        announced.result()


def test_a_second_arena_in_the_same_folder_is_refused_with_the_first_ones_process(
    tmp_path: Path,
) -> None:
    with folder.lock(tmp_path):
        folder.announce(tmp_path, RUNNING)

        with (
            pytest.raises(Unavailable, match=r"already running.*process 1.*--data"),
            folder.lock(tmp_path),
        ):
            pass


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(Unavailable, match="cannot be used"), folder.lock(tmp_path / "file" / "x"):
        pass


def test_a_damaged_announcement_is_reported(tmp_path: Path) -> None:
    with folder.lock(tmp_path):
        (tmp_path / "arena.json").write_text("{")

        with pytest.raises(Unavailable, match="cannot be read"):
            folder.find_running(tmp_path)
