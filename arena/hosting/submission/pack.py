"""A folder, a program or an archive on the author's machine -> the bytes to upload."""

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
from arena.hosting.submission.files import (
    UPLOADED,
    File,
    FileCounter,
    FileLimits,
    checked,
    size_text,
)
from arena.hosting.submission.unpack import is_archive, unpack

IGNORE = ".botignore"
LEFT_OUT = ("__pycache__", "*.pyc", "*~")  # and names that start with a dot
LARGEST_IGNORE = 64 * 1024
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time in a zip
_UNIX = 3


@dataclass(frozen=True, slots=True)
class Packed:
    """An upload and its content."""

    content: bytes
    files: Sequence[File]
    manifest: manifest.Manifest

    @property
    def total_bytes(self) -> int:
        """The uncompressed size of all files."""
        return sum(len(file.content) for file in self.files)


def pack(path: Path, limits: FileLimits = UPLOADED) -> Packed:
    """Pack a folder, a .py file or a .zip file. The same files give the same bytes.

    Checks all that can be checked without a host. Raises InvalidRequest for other paths, links,
    exceeded limits, and a missing or invalid manifest, wheel or lockfile.
    """
    if path.is_dir():
        files = checked(_files_in(path, limits), limits)
        content = _zipped(files)
    elif path.suffix in (".py", ".zip"):
        content = _content(path, limits.total_bytes)
        if path.suffix == ".zip" and not is_archive(content):
            raise InvalidRequest(f"{path} is not a zip file. Pack the folder of the bot again.")
        files = unpack(content, limits)
    else:
        raise InvalidRequest(f"{path} is not a folder, .py file or .zip file.")
    said = manifest.of_files(files)
    if said.language == "python":
        packages.wheels_of(files)
        if found := lock.lock_of(files):
            lock.parse(found)
    return Packed(content, files, said)


def _files_in(folder: Path, limits: FileLimits) -> Iterator[File]:
    """Yield the files. Raises InvalidRequest as soon as a limit is exceeded."""
    tally, ignored = FileCounter(limits), [*LEFT_OUT, *_ignored_in(folder)]
    for name, path in _walk(folder, "", ignored):
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            what = "a link" if stat.S_ISLNK(mode) else "not a regular file"
            raise InvalidRequest(
                f"{path} is {what}. Replace it by the file itself, or add it to {folder / IGNORE}."
            )
        tally.add(name, path.stat().st_size)
        yield File(name, _content(path, limits.file_bytes), bool(mode & stat.S_IXUSR))


def _walk(folder: Path, prefix: str, ignored: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield the files below a folder with their relative names, sorted."""
    try:
        inside = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise InvalidRequest(f"{folder} cannot be read: {error.strerror}.") from None
    for entry in inside:
        name = prefix + entry.name
        if entry.name.startswith(".") or any(
            fnmatchcase(name, pattern) or fnmatchcase(entry.name, pattern) for pattern in ignored
        ):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), f"{name}/", ignored)
        else:
            yield name, Path(entry.path)


def _ignored_in(folder: Path) -> Iterator[str]:
    """Yield the patterns of the folder's .botignore, one per line."""
    file = folder / IGNORE
    if not file.is_file():
        return
    for line in _content(file, LARGEST_IGNORE).decode(errors="replace").splitlines():
        pattern = line.strip().rstrip("/")
        if pattern and not pattern.startswith("#"):
            yield pattern.removeprefix("./")


def _content(path: Path, most: int) -> bytes:
    """Return the content of a file. Raises InvalidRequest if it cannot be read or is too large."""
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be read: {error.strerror}.") from None
    if len(content) > most:
        raise InvalidRequest(f"{path} is larger than {size_text(most)}, the limit.")
    return content


def _zipped(files: Sequence[File]) -> bytes:
    """Return a zip without times and owners, in the order of the files."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in files:
            info = zipfile.ZipInfo(file.name, EPOCH)
            info.create_system, info.compress_type = _UNIX, zipfile.ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | (0o755 if file.executable else 0o644)) << 16
            archive.writestr(info, file.content)
    return made.getvalue()
