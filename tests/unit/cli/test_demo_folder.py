"""The demo empties only what a demo made."""

from pathlib import Path

import pytest

from arena.base.errors import InvalidRequest
from arena.cli.demo import MARKER, check_folder, prepare_folder


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def test_a_new_folder_is_marked(tmp_path: Path) -> None:
    prepare_folder(tmp_path, keep=False)

    assert names(tmp_path) == {MARKER}


def test_files_of_an_earlier_demo_are_removed_except_lock_and_marker(tmp_path: Path) -> None:
    prepare_folder(tmp_path, keep=False)
    (tmp_path / "lock").touch()
    (tmp_path / "arena.db").write_text("old")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "worker.log").write_text("old")

    prepare_folder(tmp_path, keep=False)

    assert names(tmp_path) == {"lock", MARKER}


def test_keep_preserves_the_files(tmp_path: Path) -> None:
    prepare_folder(tmp_path, keep=False)
    (tmp_path / "arena.db").write_text("old")

    prepare_folder(tmp_path, keep=True)

    assert (tmp_path / "arena.db").read_text() == "old"


@pytest.mark.parametrize("keep", [False, True])
def test_a_folder_with_something_else_in_it_is_refused_untouched(
    tmp_path: Path, keep: bool
) -> None:
    (tmp_path / "thesis.tex").write_text("precious")

    with pytest.raises(InvalidRequest, match="not from `arena demo`"):
        prepare_folder(tmp_path, keep=keep)

    assert names(tmp_path) == {"thesis.tex"}


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "demo"
    file.write_text("precious")

    with pytest.raises(InvalidRequest, match="another folder"):
        check_folder(file)


def test_a_link_out_of_the_folder_is_removed_and_not_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "demo"
    outside.mkdir()
    (outside / "thesis.tex").write_text("precious")
    inside.mkdir()
    prepare_folder(inside, keep=False)
    (inside / "link").symlink_to(outside)

    prepare_folder(inside, keep=False)

    assert names(inside) == {MARKER}
    assert names(outside) == {"thesis.tex"}
