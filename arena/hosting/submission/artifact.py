"""A build artifact: the files of a built bot as one stream. A sandbox writes it, and its host
stores and reads it.

    arena tree 1
    - 1234 mybot.py       kind ("-", or "x": executable), size in bytes, name; then the content
    x 567 bin/solver
    end

Files are sorted by name, so that equal artifacts have equal bytes and digests. The reader checks
everything, since a sandbox is untrusted.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from arena.base.errors import InvalidRequest
from arena.hosting.submission.files import BUILT, File, FileCounter, FileLimits, checked

HEAD = b"arena tree 1\n"
END = b"end\n"
LONGEST_LINE = 256
_ENTRY = re.compile(rb"([-x]) (0|[1-9][0-9]{0,9}) ([!-~]{1,200})\n")
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


def write(files: Iterable[File], limits: FileLimits = BUILT) -> Iterator[bytes]:
    """Yield the stream in pieces. Raises InvalidRequest for names or sizes that are not allowed."""
    yield HEAD
    for file in checked(files, limits):
        yield entry(file)
    yield END


def entry(file: File) -> bytes:
    """Return the part of the stream for one file with a valid name."""
    kind = "x" if file.executable else "-"
    return f"{kind} {len(file.content)} {file.name}\n".encode() + file.content


def read(stream: BinaryIO, limits: FileLimits = BUILT) -> Iterator[File]:
    """Yield the files one at a time. The artifact is complete only if this ends without an error.

    Raises InvalidRequest for anything that `write` would not write, and, before reading it, for
    anything beyond the limits.
    """
    if stream.readline(LONGEST_LINE) != HEAD:
        raise InvalidRequest("This is not a build artifact. Its first line is wrong.")
    tally, before = FileCounter(limits), ""
    while (line := stream.readline(LONGEST_LINE)) != END:
        entry = _ENTRY.fullmatch(line)
        if entry is None:
            raise InvalidRequest("The build artifact is damaged. It has an invalid line.")
        name, size = entry[3].decode(), int(entry[2])
        if name <= before:
            raise InvalidRequest("The build artifact is damaged. Its files are not sorted.")
        tally.add(name, size)
        yield File(name, _exactly(stream, size), entry[1] == b"x")
        before = name
    if stream.read(1):
        raise InvalidRequest("The build artifact is damaged. It continues after its end.")


def extract(stream: BinaryIO, folder: Path) -> None:
    """Write the files into an existing, empty folder. Overwrites nothing and follows no links.
    Raises InvalidRequest as `read` does, and OSError. Some files may have been written then."""
    root = os.open(folder, _FOLDER)
    try:
        for file in read(stream):
            _write_below(root, file)
    finally:
        os.close(root)


def _write_below(root: int, file: File) -> None:
    *folders, name = file.name.split("/")
    within = os.dup(root)
    try:
        for each in folders:
            inner = _inner_folder(within, each)
            os.close(within)
            within = inner
        mode = 0o755 if file.executable else 0o644
        with os.fdopen(os.open(name, _NEW_FILE, mode, dir_fd=within), "wb") as made:
            made.write(file.content)
            os.fchmod(made.fileno(), mode)  # whatever the umask is
    finally:
        os.close(within)


def _inner_folder(within: int, name: str) -> int:
    with suppress(FileExistsError):  # from an earlier file; a link is not opened
        os.mkdir(name, 0o755, dir_fd=within)
    made = os.open(name, _FOLDER, dir_fd=within)
    os.fchmod(made, 0o755)
    return made


def _exactly(stream: BinaryIO, size: int) -> bytes:
    pieces, missing = [], size
    while missing:
        piece = stream.read(missing)
        if not piece:
            raise InvalidRequest("The build artifact is truncated.")
        pieces.append(piece)
        missing -= len(piece)
    return b"".join(pieces)
