"""Packing and unpacking of submissions, and the stream of a build artifact."""

import io
import os
import stat
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.base.errors import InvalidRequest
from arena.hosting.submission import artifact
from arena.hosting.submission.files import File, FileLimits, check_name
from arena.hosting.submission.pack import pack
from arena.hosting.submission.unpack import unpack

SMALL = FileLimits(files=3, file_bytes=100, total_bytes=150)
PROGRAM = b"from arena.sdk import Bot\n"
TOML = b'entry = "mybot.py"\n'

files_of_trees = st.dictionaries(
    st.from_regex(r"[a-z]{1,3}(/[a-z]{1,3}){0,2}\.py", fullmatch=True),
    st.tuples(st.binary(max_size=50), st.booleans()),
    max_size=6,
).map(lambda found: [File(name, *rest) for name, rest in sorted(found.items())])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder with what belongs to it, and what does not."""
    made = tmp_path / "mybot"
    for name in ("data", "__pycache__", ".git", ".venv/lib"):
        (made / name).mkdir(parents=True)
    (made / "bot.toml").write_bytes(TOML)
    (made / "mybot.py").write_bytes(PROGRAM)
    (made / "run").write_bytes(b"#!/bin/sh\n")
    (made / "run").chmod(0o755)
    (made / "data/weights.bin").write_bytes(bytes(50))
    (made / "data/training.log").write_bytes(b"long")
    for left_out in ("__pycache__/mybot.pyc", ".git/HEAD", ".venv/lib/x.py", ".env"):
        (made / left_out).write_bytes(b"x")
    (made / ".botignore").write_text("# what a bot needs not\n*.log\n\n")
    return made


def zipped(*entries: tuple[str, bytes], **of_entry: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            for field, value in of_entry.items():
                setattr(info, field, value)
            archive.writestr(info, content)
    return made.getvalue()


# Packing


def test_a_folder_is_packed_without_what_does_not_belong_to_the_bot(folder: Path) -> None:
    packed = pack(folder)

    names = [file.name for file in packed.files]
    assert names == ["bot.toml", "data/weights.bin", "mybot.py", "run"]
    assert [file.name for file in packed.files if file.executable] == ["run"]
    assert packed.total_bytes == len(TOML) + 50 + len(PROGRAM) + len(b"#!/bin/sh\n")
    assert packed.manifest.entry == "mybot.py"
    assert unpack(packed.content) == packed.files


def test_the_same_files_give_the_same_bytes(folder: Path) -> None:
    before = pack(folder).content
    os.utime(folder / "mybot.py", (0, 0))
    (folder / "mybot.py").rename(folder / "z")
    (folder / "z").rename(folder / "mybot.py")

    assert pack(folder).content == before


def test_folders_and_paths_are_ignored_by_name(folder: Path) -> None:
    (folder / ".botignore").write_text("data/\n./run\n")
    assert [file.name for file in pack(folder).files] == ["bot.toml", "mybot.py"]


def test_a_program_and_an_archive_are_uploaded_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_bytes(PROGRAM)
    (tmp_path / "mine.zip").write_bytes(zipped(("bot.toml", TOML), ("mybot.py", PROGRAM)))

    assert pack(tmp_path / "mine.py").content == PROGRAM
    assert [file.name for file in pack(tmp_path / "mine.py").files] == ["bot.py"]
    assert pack(tmp_path / "mine.zip").content == (tmp_path / "mine.zip").read_bytes()


def test_links_and_pipes_are_refused(folder: Path) -> None:
    (folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(
        InvalidRequest, match=r"link is a link. Replace it by the file itself, or add"
    ):
        pack(folder)
    (folder / "link").unlink()
    (folder / "out").symlink_to("/etc", target_is_directory=True)
    with pytest.raises(InvalidRequest, match="out is a link"):
        pack(folder)
    (folder / "out").unlink()
    os.mkfifo(folder / "pipe")
    with pytest.raises(InvalidRequest, match="pipe is not a regular file"):
        pack(folder)


def test_excess_is_refused_before_it_is_read(folder: Path) -> None:
    for limits, said in (
        (
            FileLimits(3, 1000, 1000),
            r"more than 3 files, .* 1 of them are in the folder data\. Leave",
        ),
        (FileLimits(9, 49, 1000), "data/weights.bin is larger than 49 bytes"),
        (FileLimits(9, 60, 60), "The files together are larger"),
    ):
        with pytest.raises(InvalidRequest, match=said):
            pack(folder, limits)
    with (folder / "mybot.py").open("wb") as large:
        large.truncate(1 << 40)  # takes no room on the disk, and would not fit into memory
    with pytest.raises(InvalidRequest, match=r"mybot.py is larger than 16 MB"):
        pack(folder)
    (folder / "mybot.py").rename(folder / "mybot.zip")
    with pytest.raises(InvalidRequest, match=r"mybot.zip is larger than 32 MB"):
        pack(folder / "mybot.zip")


def test_a_folder_of_node_modules_is_recognised_before_anything_is_sent(tmp_path: Path) -> None:
    packages = tmp_path / "node_modules/@grpc"
    packages.mkdir(parents=True)
    (tmp_path / "bot.toml").write_text('language = "node"\ncommand = ["node", "mybot.js"]\n')
    for number in range(3):
        (packages / f"{number}.js").touch()

    with pytest.raises(InvalidRequest, match=r"more than 3 files.*Add node_modules to \.botignore"):
        pack(tmp_path, SMALL)
    (tmp_path / ".botignore").write_text("node_modules\n")
    assert len(pack(tmp_path, SMALL).files) == 1


@pytest.mark.parametrize("name", ["none", "mybot.txt"])
def test_anything_else_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "mybot.txt").write_text("x")
    with pytest.raises(InvalidRequest, match=r"is not a folder, \.py file or \.zip file"):
        pack(tmp_path / name)


def test_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match=r"none\.py cannot be read: No such file"):
        pack(tmp_path / "none.py")


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "/etc/passwd",
            "../a",
            "a/../b",
            "./a",
            "a//b",
            "a/",
            "a b",
            "ä",
            "a\\b",
            "a\n",
            "a:b",
        ),
        *("x" * 101, "/".join("x" * 17), "/".join(["x" * 60] * 4)),
    ],
)
def test_names_are_plain_and_relative(name: str) -> None:
    with pytest.raises(InvalidRequest, match="is not a valid file name"):
        check_name(name)


# Unpacking


@pytest.mark.parametrize("content", [b"\xff\xfe", b"\0", b"a\0b", b"\x1f\x8b\x08"])
def test_other_uploads_are_refused(content: bytes) -> None:
    with pytest.raises(InvalidRequest, match="neither a zip nor a Python file"):
        unpack(content)


@pytest.mark.parametrize("content", [b"", b" \n"])
def test_an_empty_upload_is_called_empty(content: bytes) -> None:
    with pytest.raises(InvalidRequest, match="The upload is empty"):
        unpack(content)


def test_a_zip_that_is_none_is_not_sent(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_text("not a zip")
    with pytest.raises(InvalidRequest, match=r"x\.zip is not a zip file"):
        pack(tmp_path / "x.zip")


def test_a_program_may_be_too_large() -> None:
    with pytest.raises(InvalidRequest, match=r"bot\.py is larger"):
        unpack(b"#" * 101, SMALL)


def test_archives_of_others_are_read() -> None:
    """With folders, comments, and files that are not compressed."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.mkdir("data") if hasattr(archive, "mkdir") else archive.writestr("data/", b"")
        archive.writestr("data/x.txt", b"x")
        archive.comment = b"of a commit PK"

    assert unpack(made.getvalue()) == [File("data/x.txt", b"x")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (zipped(("../mybot.py", b"")), "is not a valid file name"),
        (zipped(("/etc/cron.d/x", b"")), "is not a valid file name"),
        (zipped(("a\\..\\b", b"")), "is not a valid file name"),
        (zipped(("a", b"1"), ("a/b", b"2")), "both a file and a folder"),
        (zipped(("a/b", b"1"), ("a", b"2")), "both a file and a folder"),
        (
            zipped(("a", b"to"), create_system=3, external_attr=0o120777 << 16),
            "a in the archive is a link",
        ),
        (zipped(("a", b""), create_system=3, external_attr=0o020777 << 16), "not a regular file"),
        (zipped(("a", b"x"), compress_type=zipfile.ZIP_LZMA), "unsupported compression"),
        (zipped(*((f"{n}", b"") for n in range(4))), "more than 3 files"),
        (
            zipped(*((f"{n}", b"") for n in range(9))),
            "has 9 entries. The limit is 3 files.*node_modules",
        ),
        (zipped(("a", bytes(101))), "a is larger than"),
        (zipped(("a", bytes(90)), ("b", bytes(90))), "The files together"),
        (zipped(), "archive is empty"),
        (zipped(("a", b"x"))[:-1], "not a valid zip"),
        (zipped(("a", b"x")) + b"x", "not a valid zip"),
        (b"PK\x03\x04" + bytes(50), "not a valid zip"),
    ],
)
def test_an_archive_that_is_not_plain_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(InvalidRequest, match=said):
        unpack(content, SMALL)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_is_there_once() -> None:
    with pytest.raises(InvalidRequest, match="two files named a"):
        unpack(zipped(("a", b"1"), ("a", b"2")))


def test_an_encrypted_archive_is_refused() -> None:
    content = bytearray(zipped(("a", b"x")))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(InvalidRequest, match="encrypted"):
        unpack(bytes(content))


def test_an_archive_that_lies_about_its_number_of_entries_is_refused() -> None:
    content = bytearray(zipped(*((f"{n:03}", b"") for n in range(200))))
    struct.pack_into("<2H", content, len(content) - 14, 2, 2)
    with pytest.raises(InvalidRequest, match="not a valid zip"):
        unpack(bytes(content), SMALL)


def test_an_archive_that_names_a_second_directory_is_refused() -> None:
    """The record of large archives, which would be believed instead of the end record, hidden in
    the comment of the last entry."""
    record = struct.pack("<4sLQL", b"PK\x06\x07", 0, 0, 1)
    content = zipped(("a", b"x"), comment=record)  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest, match="not a valid zip"):
        unpack(content)


def test_a_bomb_is_noticed_by_what_comes_out_of_it() -> None:
    bomb = bytearray(zipped(("a", bytes(1_000_000))))
    directory = bomb.index(b"PK\x01\x02")
    struct.pack_into("<L", bomb, directory + 24, 5)  # it says that it has five bytes
    with pytest.raises(InvalidRequest):
        unpack(bytes(bomb), SMALL)


@given(st.binary(max_size=200), st.integers(0, 300), st.integers(0, 255))
def test_any_upload_gives_files_or_a_sentence(noise: bytes, place: int, value: int) -> None:
    damaged = bytearray(zipped(("bot.toml", TOML), ("mybot.py", PROGRAM)))
    damaged[place % len(damaged)] = value
    for content in (noise, b"PK\x03\x04" + noise, bytes(damaged), bytes(damaged) + noise):
        try:
            unpack(content, SMALL)
        except InvalidRequest:
            continue


# The stream of a build artifact


def streamed(files: list[File]) -> bytes:
    return b"".join(artifact.write(files))


def is_a_tree(files: list[File]) -> bool:
    names = {file.name for file in files}
    return not any(f"{a}/" == b[: len(a) + 1] for a in names for b in names)


@given(files_of_trees.filter(is_a_tree))
def test_a_tree_is_read_as_it_was_written(files: list[File]) -> None:
    assert list(artifact.read(io.BytesIO(streamed(files)))) == files
    assert streamed(files) == streamed(files[::-1])


@given(st.binary(max_size=100), st.binary(max_size=100))
def test_any_stream_gives_files_or_a_sentence(head: bytes, rest: bytes) -> None:
    whole = streamed([File("a", b"1"), File("b/c", b"2", True)])
    for content in (head, artifact.HEAD + head, whole[: len(head)] + rest, whole + head):
        try:
            found = list(artifact.read(io.BytesIO(content), SMALL))
        except InvalidRequest:
            continue
        assert streamed(found) == content  # the stream is canonical


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (b"- 1 a\nx- 1 a\nxend\n", "not sorted"),
        (b"- 1 b\nx- 1 a\nxend\n", "not sorted"),
        (b"- 1 a\nx- 1 a/b\nxend\n", "both a file and a folder"),
        (b"- 1 ../a\nxend\n", "is not a valid file name"),
        (b"- 1 /a\nxend\n", "is not a valid file name"),
        (b"- 01 a\nxend\n", "an invalid line"),
        (b"l 1 a\nxend\n", "an invalid line"),
        (b"- 9999999999 a\n", "larger than"),
        (b"- 2 a\nx", "truncated"),
        (b"- 1 a\nx", "an invalid line"),
        (b"end\nx", "continues after its end"),
    ],
)
def test_a_damaged_tree_is_refused(entries: bytes, said: str) -> None:
    with pytest.raises(InvalidRequest, match=said):
        list(artifact.read(io.BytesIO(artifact.HEAD + entries)))


def test_a_tree_is_written_into_a_folder(tmp_path: Path) -> None:
    files = [File("bin/run", b"1", True), File("bin/x", b"2"), File("y", b"3")]

    artifact.extract(io.BytesIO(streamed(files)), tmp_path)

    found = [path for path in sorted(tmp_path.rglob("*")) if path.is_file()]
    assert {str(path.relative_to(tmp_path)): path.read_bytes() for path in found} == {
        file.name: file.content for file in files
    }
    modes = [stat.S_IMODE(path.stat().st_mode) for path in found]
    assert modes == [0o755, 0o644, 0o644]


def test_existing_files_and_links_are_not_written_to(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "kept").write_bytes(b"kept")
    (inside / "folder").symlink_to(outside, target_is_directory=True)
    (inside / "kept").symlink_to(outside / "kept")

    for name in ("folder/new", "kept"):
        with pytest.raises(OSError, match=name.partition("/")[0]):
            artifact.extract(io.BytesIO(streamed([File(name, b"x")])), inside)
    assert [path.name for path in outside.iterdir()] == ["kept"]
    assert (outside / "kept").read_bytes() == b"kept"


def test_packages_are_packed_along_and_looked_at_before_anything_is_sent(folder: Path) -> None:
    line = f"foo==1.0 --hash=sha256:{'a' * 64}\n"
    (folder / "wheels").mkdir()
    (folder / "wheels/foo-1.0-py3-none-any.whl").write_bytes(b"x")
    (folder / "requirements.lock").write_text(line)
    names = {file.name for file in pack(folder).files}
    assert {"wheels/foo-1.0-py3-none-any.whl", "requirements.lock"} < names

    (folder / "requirements.lock").write_text("foo\n")
    with pytest.raises(
        InvalidRequest, match='"foo" in requirements.lock is not of the form NAME==VERSION'
    ):
        pack(folder)
    (folder / "requirements.lock").unlink()
    (folder / "wheels/foo-1.0.tar.gz").write_bytes(b"x")
    with pytest.raises(InvalidRequest, match="foo-1.0.tar.gz is not a wheel"):
        pack(folder)
