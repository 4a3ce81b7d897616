"""The data folder: one arena at a time, and where to find it."""

import fcntl
import os
import stat
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.base import folder
from arena.base.errors import Unavailable

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


def test_the_announcement_of_an_arena_that_was_killed_is_gone_when_the_next_one_starts(
    tmp_path: Path,
) -> None:
    folder.announce(tmp_path, RUNNING)

    with folder.lock(tmp_path):
        assert folder.find_running(tmp_path) is None


def test_a_look_at_a_free_folder_disturbs_no_other(tmp_path: Path) -> None:
    with folder.lock(tmp_path):
        pass
    with (tmp_path / "lock").open() as looking:
        assert folder._try_lock(looking, shared=True)
        assert folder.holder(tmp_path) is None
        threading.Timer(0.1, looking.close).start()
        with folder.lock(tmp_path):
            assert folder.holder(tmp_path) == folder.Holder(os.getpid(), folder.STARTING)


@contextmanager
def starting(data: Path, then: Callable[[int], None]) -> Iterator[None]:
    """An arena that is starting, and does something with its lock a little later."""
    with folder.lock(data) as lock:
        later = threading.Timer(0.2, then, [lock])
        later.start()
        yield
        later.join()


def test_an_arena_that_is_starting_is_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with starting(tmp_path, lambda _: folder.announce(tmp_path, RUNNING)):
        assert folder.await_running(tmp_path) == RUNNING

    said = f"The arena in {tmp_path} is starting. Waiting up to 30 s.\n"
    assert capsys.readouterr().err == said


def test_an_arena_that_fails_to_start_is_waited_for_until_it_ends(tmp_path: Path) -> None:
    with starting(tmp_path, lambda lock: fcntl.flock(lock, fcntl.LOCK_UN)):
        assert folder.await_running(tmp_path) is None


def test_an_arena_that_starts_for_too_long_is_reported(tmp_path: Path) -> None:
    with (
        folder.lock(tmp_path),
        pytest.raises(Unavailable, match=r"has not started within 0.1 s\..*logs"),
    ):
        folder.await_running(tmp_path, within_s=0.1)


def test_only_an_arena_that_is_starting_is_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert folder.await_running(tmp_path) is None
    with folder.lock(tmp_path):
        folder.announce(tmp_path, RUNNING)
        assert folder.await_running(tmp_path) == RUNNING
        folder.retract(tmp_path)
        assert folder.await_running(tmp_path) is None
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("data", "option"),
    [(".arena", ""), ("my arena", " --data 'my arena'"), ("/srv/arena", " --data /srv/arena")],
)
def test_a_suggested_command_quotes_the_folder(data: str, option: str) -> None:
    assert folder.option(Path(data)) == option


def test_no_arena_is_found_in_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    assert folder.find_running(tmp_path / "nowhere") is None


def test_no_arena_is_found_where_a_file_is(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert folder.await_running(tmp_path / "file") is None


def test_a_folder_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()  # root, too, cannot read that
    with pytest.raises(Unavailable, match=f"{tmp_path} cannot be read .*Choose another one with"):
        folder.await_running(tmp_path)


def test_an_arena_ends_in_peace_when_its_folder_is_gone(tmp_path: Path) -> None:
    folder.retract(tmp_path / "gone")


def test_an_arena_that_was_retracted_is_not_found(tmp_path: Path) -> None:
    with folder.lock(tmp_path):
        folder.announce(tmp_path, RUNNING)
        folder.retract(tmp_path)

        assert folder.find_running(tmp_path) is None


def test_only_the_owner_may_read_the_announcement(tmp_path: Path) -> None:
    folder.announce(tmp_path, RUNNING)

    assert stat.S_IMODE((tmp_path / "arena.json").stat().st_mode) == 0o600


def test_announcement_is_atomic(tmp_path: Path) -> None:
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
    named = rf"already running.*process {os.getpid()}\).*--data"
    with (
        folder.lock(tmp_path),
        pytest.raises(Unavailable, match=named),
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
