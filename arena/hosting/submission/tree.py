"""The files of a built bot as one stream: a sandbox writes it, its host keeps it and reads it back.

    arena tree 1
    - 1234 mybot.py       kind ("-", or "x": executable), bytes, name; then so many bytes
    x 567 bin/solver
    end

Files come in the order of their names, so that equal trees have equal bytes and one digest. Whoever
reads believes nothing: a sandbox is the stranger's.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from arena.base.errors import InvalidRequest
from arena.hosting.submission.files import BUILT, File, Limits, Tally, checked

HEAD = b"arena tree 1\n"
END = b"end\n"
LONGEST_LINE = 256
_ENTRY = re.compile(rb"([-x]) (0|[1-9][0-9]{0,9}) ([!-~]{1,200})\n")
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


def write(files: Iterable[File], limits: Limits = BUILT) -> Iterator[bytes]:
    """The stream, in pieces. Raises InvalidRequest for files that are no tree."""
    yield HEAD
    for file in checked(files, limits):
        yield entry(file)
    yield END


def entry(file: File) -> bytes:
    """What stands in the stream for one file, whose name is a good one."""
    kind = "x" if file.executable else "-"
    return f"{kind} {len(file.content)} {file.name}\n".encode() + file.content


def read(stream: BinaryIO, limits: Limits = BUILT) -> Iterator[File]:
    """The files, one after the other; only if it ends without an error is the tree whole.

    Raises InvalidRequest for anything that `write` would not have written, or beyond the limits,
    before it is read.
    """
    if _line(stream) != HEAD:
        raise InvalidRequest("This is no tree of a bot: it does not begin as one.")
    tally, before = Tally(limits), ""
    while (line := _line(stream)) != END:
        entry = _ENTRY.fullmatch(line)
        if entry is None:
            raise InvalidRequest("The tree of the bot is damaged: a line in it is no file's.")
        name, size = entry[3].decode(), int(entry[2])
        if name <= before:
            raise InvalidRequest("The tree of the bot is damaged: its files are out of order.")
        tally.add(name, size)
        yield File(name, _exactly(stream, size), entry[1] == b"x")
        before = name
    if stream.read(1):
        raise InvalidRequest("The tree of the bot is damaged: it goes on after its end.")


def digest(files: Iterable[File]) -> bytes:
    """SHA-256 of the stream, 32 bytes: the same for the same files, in whatever order."""
    summed = hashlib.sha256()
    for piece in write(files):
        summed.update(piece)
    return summed.digest()


def extract(stream: BinaryIO, folder: Path, limits: Limits = BUILT) -> None:
    """Writes the files into a folder, which is there, and should be empty.

    Nothing that exists is written to, and no link is followed. Raises InvalidRequest as `read`
    does, OSError where something cannot be written; some files may be there then.
    """
    root = os.open(folder, _FOLDER)
    try:
        for file in read(stream, limits):
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
    with suppress(FileExistsError):  # of a file before; a link is not opened
        os.mkdir(name, 0o755, dir_fd=within)
    made = os.open(name, _FOLDER, dir_fd=within)
    os.fchmod(made, 0o755)
    return made


def _line(stream: BinaryIO) -> bytes:
    return stream.readline(LONGEST_LINE)


def _exactly(stream: BinaryIO, size: int) -> bytes:
    pieces, missing = [], size
    while missing:
        piece = stream.read(missing)
        if not piece:
            raise InvalidRequest("The tree of the bot is cut short.")
        pieces.append(piece)
        missing -= len(piece)
    return b"".join(pieces)
