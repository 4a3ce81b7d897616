"""The key that signs session cookies."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.base.errors import Unavailable
from arena.base.folder import KEY_FILE, kept_key


def test_the_key_is_made_once_and_its_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"

    key = kept_key(folder)

    assert len(key) >= 32
    assert kept_key(folder) == key
    assert (folder / KEY_FILE).stat().st_mode & 0o077 == 0
    assert kept_key(tmp_path) != key


def test_concurrent_calls_get_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(lambda _: kept_key(tmp_path), range(64)))

    assert len(keys) == 1
    assert [file.name for file in tmp_path.iterdir()] == [KEY_FILE]


def test_an_empty_key_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / KEY_FILE).touch()

    with pytest.raises(Unavailable, match="is empty. Delete it"):
        kept_key(tmp_path)


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")

    with pytest.raises(Unavailable, match=r"taken.*ARENA_SECRET_KEY"):
        kept_key(tmp_path / "taken")
