"""A folder, a program or an archive on the author's machine -> the bytes to upload."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from arena.base.errors import InvalidRequest
from arena.hosting.submission import lock, manifest, packages
from arena.hosting.submission.files import UPLOADED, File, Limits, Tally, checked, size_text
from arena.hosting.submission.unpack import unpack

IGNORE = ".botignore"
LEFT_OUT = ("__pycache__", "*.pyc", "*~")  # and whatever begins with a dot
LARGEST_IGNORE = 64 * 1024
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can say
_UNIX = 3


@dataclass(frozen=True, slots=True)
class Packed:
    """What is uploaded, and what is in it."""

    content: bytes
    files: Sequence[File]
    manifest: manifest.Manifest

    @property
    def total_bytes(self) -> int:
        """The size of all files together, before they were packed."""
        return sum(len(file.content) for file in self.files)


def pack(path: Path, limits: Limits = UPLOADED) -> Packed:
    """What to upload of a folder, a .py file or a .zip file; the same files give the same bytes.

    Raises InvalidRequest for anything else, for links, for what is too much, for a manifest that is
    missing or wrong, for wheels or a lock that cannot be meant: all that can be said before a host
    sees it.
    """
    if path.is_dir():
        files = checked(_files_in(path, limits), limits)
        content = _zipped(files)
    elif path.suffix in (".py", ".zip"):
        content = _content(path, limits.total_bytes)
        files = unpack(content, limits)
    else:
        raise InvalidRequest(f"{path} is no folder, .py file or .zip file: name one of these.")
    said = manifest.of_files(files)
    if said.language == "python":
        packages.wheels_of(files)
        if found := lock.lock_of(files):
            lock.parse(found)
    return Packed(content, files, said)


def _files_in(folder: Path, limits: Limits) -> Iterator[File]:
    """Raises InvalidRequest at the first file too many, before the next is read."""
    tally, ignored = Tally(limits), [*LEFT_OUT, *_ignored_in(folder)]
    for name, path in _walk(folder, "", ignored):
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            what = "a link" if stat.S_ISLNK(mode) else "no regular file"
            raise InvalidRequest(
                f"{path} is {what}: put the file itself there, or name it in {folder / IGNORE}."
            )
        tally.add(name, path.stat().st_size)
        yield File(name, _content(path, limits.file_bytes), bool(mode & stat.S_IXUSR))


def _walk(folder: Path, prefix: str, ignored: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """All that is in a folder but other folders, by name, in order."""
    try:
        inside = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise InvalidRequest(f"{folder} cannot be read: {error.strerror}.") from None
    for entry in inside:
        name = prefix + entry.name
        if entry.name.startswith(".") or _is_ignored(name, entry.name, ignored):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), f"{name}/", ignored)
        else:
            yield name, Path(entry.path)


def _is_ignored(path: str, name: str, patterns: Sequence[str]) -> bool:
    """Whether a pattern fits what is called `name`, or the way to it from the root."""
    return any(fnmatchcase(path, each) or fnmatchcase(name, each) for each in patterns)


def _ignored_in(folder: Path) -> Iterator[str]:
    """The patterns of the folder's .botignore, one a line."""
    file = folder / IGNORE
    if not file.is_file():
        return
    for line in _content(file, LARGEST_IGNORE).decode(errors="replace").splitlines():
        pattern = line.strip().rstrip("/")
        if pattern and not pattern.startswith("#"):
            yield pattern.removeprefix("./")


def _content(path: Path, most: int) -> bytes:
    """The bytes of a file. Raises InvalidRequest if it cannot be read, or has more."""
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be read: {error.strerror}.") from None
    if len(content) > most:
        raise InvalidRequest(f"{path} is larger than {size_text(most)}, which is the most.")
    return content


def _zipped(files: Sequence[File]) -> bytes:
    """A zip without times and owners, in the order of names."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in files:
            info = zipfile.ZipInfo(file.name, EPOCH)
            info.create_system, info.compress_type = _UNIX, zipfile.ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | (0o755 if file.executable else 0o644)) << 16
            archive.writestr(info, file.content)
    return made.getvalue()
