"""The cache of build artifacts on a host's disk."""

import errno
import io
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.base.errors import Unavailable
from arena.hosting.submission import artifact
from arena.hosting.submission.files import File
from arena.service.host.artifacts import ArtifactCache


def of(*files: File) -> bytes:
    return b"".join(artifact.write(files))


ADA, BOB = of(File("a.py", bytes(1000))), of(File("b.py", bytes(1000), executable=True))


@pytest.fixture
def artifacts(tmp_path: Path) -> ArtifactCache:
    return ArtifactCache(tmp_path)


def test_artifacts_in_use_stay_and_others_are_pruned(artifacts: ArtifactCache) -> None:
    ada, bob = artifacts.place(ADA), artifacts.place(BOB)
    assert (ada / "a.py").read_bytes() == bytes(1000)
    artifacts.release(bob)
    assert artifacts.prune(0) == 1
    assert ada.exists()
    assert not bob.exists()
    assert (artifacts.place(BOB) / "b.py").stat().st_mode & 0o777 == 0o755


def test_artifact_placed_twice_is_released_twice(artifacts: ArtifactCache) -> None:
    ada = artifacts.place(ADA)
    assert artifacts.place(ADA) == ada
    artifacts.release(ada)
    assert artifacts.prune(0) == 0
    artifacts.release(ada)
    assert artifacts.prune(0) == 1


def test_recently_used_artifacts_are_kept_up_to_a_limit(artifacts: ArtifactCache) -> None:
    ada, bob = artifacts.place(ADA), artifacts.place(BOB)
    os.utime(ada, (1, 1))
    for folder in (ada, bob):
        artifacts.release(folder)
    assert artifacts.prune(2000) == 0
    assert artifacts.prune(1999) == 1
    assert bob.exists()
    artifacts.release(artifacts.place(BOB))
    assert artifacts.prune(1999) == 0


def test_unused_artifacts_make_room_on_a_full_disk(
    artifacts: ArtifactCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    extract, ada, bob = artifact.extract, artifacts.place(ADA), artifacts.place(BOB)
    artifacts.release(bob)

    def fill(stream: io.BytesIO, folder: Path) -> None:
        if bob.exists():
            raise OSError(errno.ENOSPC, "No space left on device")
        extract(stream, folder)

    monkeypatch.setattr(artifact, "extract", fill)
    assert artifacts.place(of(File("cho.py", b""))).exists()
    assert ada.exists()


def test_hosts_that_share_a_folder_leave_each_other_what_is_played(
    artifacts: ArtifactCache, tmp_path: Path
) -> None:
    ada = artifacts.place(ADA)
    assert ArtifactCache(tmp_path).prune(0) == 0
    artifacts.release(ada)
    assert ArtifactCache(tmp_path).prune(0) == 1
    assert artifacts.place(ADA) == ada
    assert (ada / "a.py").exists()


def test_folder_that_cannot_be_used_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable, match=r"file/hosted .* \(Not a directory\)\. Let this user"):
        ArtifactCache(tmp_path / "file" / "hosted")


def test_artifact_can_be_placed_concurrently(tmp_path: Path) -> None:
    places = [ArtifactCache(tmp_path), ArtifactCache(tmp_path)] * 4
    with ThreadPoolExecutor(8) as pool:
        folders = list(pool.map(lambda artifacts: artifacts.place(ADA), places))
    assert len(set(folders)) == 1
    assert [each.name for each in tmp_path.iterdir()] == [folders[0].name]
    for artifacts in places:
        assert artifacts.prune(0) == 0
        artifacts.release(folders[0])
    assert places[0].prune(0) == 1


def test_artifact_is_on_disk_before_it_has_its_name(
    artifacts: ArtifactCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[bool] = []
    monkeypatch.setattr(
        os, "sync", lambda: synced.append(all(each.suffix for each in tmp_path.iterdir()))
    )
    artifacts.place(ADA)
    assert synced == [True]


def test_half_pruned_artifact_is_not_played(
    artifacts: ArtifactCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remove_some(folder: Path) -> None:
        (folder / "a.py").unlink()
        raise OSError("The disk fails.")

    artifacts.release(artifacts.place(ADA))
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", remove_some)
        with pytest.raises(OSError, match="fails"):
            artifacts.prune(0)

    assert (artifacts.place(ADA) / "a.py").exists()


def test_host_that_starts_leaves_what_another_host_unpacks_and_removes_the_rest(
    artifacts: ArtifactCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    extract, left = artifact.extract, tmp_path / "0.part"
    left.mkdir()

    def start_another(stream: io.BytesIO, folder: Path) -> None:
        extract(stream, folder)
        ArtifactCache(tmp_path)

    monkeypatch.setattr(artifact, "extract", start_another)
    folder = artifacts.place(ADA)
    assert (folder / "a.py").exists()
    assert list(tmp_path.iterdir()) == [folder]
