"""Logs are rotated while processes write to them."""

import errno
import shutil
from pathlib import Path

import pytest

from arena.operations.supervise import child
from arena.operations.supervise.child import rotate_logs

MOST = 1000


@pytest.fixture(autouse=True)
def short_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "MAX_LOG_BYTES", MOST)


def test_a_long_log_is_copied_and_emptied_and_its_writer_goes_on_at_the_new_end(
    tmp_path: Path,
) -> None:
    log = tmp_path / "gateway.log"
    with log.open("ab", buffering=0) as writer:
        writer.write(b"x" * MOST + b"\n")
        rotate_logs(tmp_path)
        writer.write(b"after\n")
    assert log.read_bytes() == b"after\n"
    assert (tmp_path / "gateway.log.1").read_bytes() == b"x" * (MOST - 1) + b"\n"


def test_a_log_up_to_the_limit_stays(tmp_path: Path) -> None:
    (tmp_path / "beat.log").write_bytes(b"x" * MOST)
    rotate_logs(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["beat.log"]


def test_logs_take_at_most_twice_the_limit_however_much_is_written(tmp_path: Path) -> None:
    with (tmp_path / "up.log").open("ab", buffering=0) as writer:
        for number in range(50):
            writer.write(b"%d\n" % number * 10 * MOST)
            rotate_logs(tmp_path)
            assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 2 * MOST
    assert (tmp_path / "up.log.1").read_bytes().endswith(b"49\n49\n")


def test_a_log_is_emptied_although_the_disk_has_no_room_for_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    (tmp_path / "worker.log").write_bytes(b"x" * (MOST + 1))
    rotate_logs(tmp_path)
    assert (tmp_path / "worker.log").read_bytes() == b""


def test_a_log_that_cannot_be_rotated_does_not_keep_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.log").symlink_to(tmp_path / "missing")
    (tmp_path / "b.log").mkdir()
    (tmp_path / "c.log").write_bytes(b"x" * (MOST + 1))
    rotate_logs(tmp_path)
    assert (tmp_path / "c.log").read_bytes() == b""


def test_without_a_folder_there_is_nothing_to_do(tmp_path: Path) -> None:
    rotate_logs(tmp_path / "missing")
