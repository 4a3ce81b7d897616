"""The check of folders that processes write to."""

import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.service.health import storage


def failing(number: int) -> Callable[..., object]:
    """Opening a file there fails, as root's never does for lack of rights."""

    def fail(dir: Path) -> object:
        raise OSError(number, os.strerror(number), dir)

    return fail


def test_folders_that_can_be_written_to_are_fine(tmp_path: Path) -> None:
    findings = list(storage.check_storage(Settings(data=tmp_path / "deep" / "down")))
    assert {each.state for each in findings} == {"fine"}
    assert {"temporary folder", "data folder"} <= {each.about for each in findings}
    assert not (tmp_path / "deep").exists()
    storage.require(*findings)


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.EROFS, "it is read-only"),
        (errno.ENOSPC, "it is full"),
        (errno.EACCES, "this user may not write there"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_a_folder_that_takes_no_file_says_why(
    monkeypatch: pytest.MonkeyPatch, number: int, reason: str
) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", failing(number))
    found = storage.check_shared_memory()
    assert found.state == "wrong"
    assert found.sentence == f"/dev/shm cannot be written to ({reason}), so no worker can start."
    assert found.public == "The shared memory cannot be written to."
    with pytest.raises(Unavailable, match=r"^/dev/shm cannot .* Mount it writable\.$"):
        storage.require(found)


def test_shared_memory_that_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(storage, "SHARED_MEMORY", tmp_path / "shm")
    assert "shm cannot be written to (it does not exist)" in storage.check_shared_memory().sentence


def test_a_machine_without_a_temporary_folder_is_told_how_to_name_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none() -> str:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found in [...]")

    monkeypatch.setattr(tempfile, "gettempdir", none)
    found = storage.check_temporary_folder()
    assert (found.state, "TMPDIR" in found.advice) == ("wrong", True)


def test_a_data_folder_that_is_a_file_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    found = storage.check_data_folder(tmp_path / "data" / "deeper")
    assert "it is not a folder" in found.sentence
