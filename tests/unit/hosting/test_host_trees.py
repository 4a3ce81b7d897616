"""The trees of hosted versions on a host's disk: which stay, and which go."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.hosting.submission import tree
from arena.hosting.submission.files import File
from arena.service.host.trees import Trees


def of(*files: File) -> bytes:
    return b"".join(tree.write(files))


ADA, BOB = of(File("a.py", bytes(1000))), of(File("b.py", bytes(1000), executable=True))


@pytest.fixture
def trees(tmp_path: Path) -> Trees:
    return Trees(tmp_path)


def test_what_is_played_stays_and_what_is_not_goes(trees: Trees) -> None:
    ada, bob = trees.place(ADA), trees.place(BOB)
    assert (ada / "a.py").read_bytes() == bytes(1000)
    trees.release(bob)
    assert trees.prune(0) == 1
    assert ada.exists()
    assert not bob.exists()
    assert (trees.place(BOB) / "b.py").stat().st_mode & 0o777 == 0o755


def test_who_placed_it_twice_releases_it_twice(trees: Trees) -> None:
    ada = trees.place(ADA)
    assert trees.place(ADA) == ada
    trees.release(ada)
    assert trees.prune(0) == 0
    trees.release(ada)
    assert trees.prune(0) == 1


def test_of_those_that_nobody_plays_the_last_stay_up_to_a_bound(trees: Trees) -> None:
    ada, bob = trees.place(ADA), trees.place(BOB)
    os.utime(ada, (1, 1))
    for folder in (ada, bob):
        trees.release(folder)
    assert trees.prune(2000) == 0
    assert trees.prune(1999) == 1
    assert bob.exists()
    trees.release(trees.place(BOB))
    assert trees.prune(1999) == 0


def test_hosts_that_share_a_folder_leave_each_other_what_is_played(
    trees: Trees, tmp_path: Path
) -> None:
    ada = trees.place(ADA)
    assert Trees(tmp_path).prune(0) == 0
    trees.release(ada)
    assert Trees(tmp_path).prune(0) == 1
    assert trees.place(ADA) == ada
    assert (ada / "a.py").exists()


def test_of_several_who_place_the_same_at_once_each_has_it(tmp_path: Path) -> None:
    places = [Trees(tmp_path), Trees(tmp_path)] * 4
    with ThreadPoolExecutor(8) as pool:
        folders = list(pool.map(lambda trees: trees.place(ADA), places))
    assert len(set(folders)) == 1
    assert [each.name for each in tmp_path.iterdir()] == [folders[0].name]
    for trees in places:
        assert trees.prune(0) == 0
        trees.release(folders[0])
    assert places[0].prune(0) == 1
