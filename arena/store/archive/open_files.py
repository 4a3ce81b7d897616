"""The archive files that this process keeps open: those that were used last."""

from __future__ import annotations

import os
from collections import OrderedDict
from pathlib import Path
from threading import Lock

from sqlalchemy import Connection

from arena.base.errors import Unavailable
from arena.store.archive import catalogue
from arena.store.archive.catalogue import Archive
from arena.store.archive.file import ArchiveFile
from arena.store.archive.layout import damaged
from arena.store.engine import store_of

KEPT = 16

_open: OrderedDict[tuple[int, Path], ArchiveFile] = OrderedDict()  # by process: forks open theirs
_using = Lock()


def folder_of(conn: Connection) -> Path:
    """The folder of the archives."""
    return store_of(conn).archive


def path_of(conn: Connection, archive: Archive) -> Path:
    """The path of an archive."""
    return folder_of(conn) / archive.name


def is_there(conn: Connection, archive: Archive) -> bool:
    """Whether the file exists and can be read."""
    return os.access(path_of(conn, archive), os.R_OK)


def opened(conn: Connection, archive: Archive) -> ArchiveFile:
    """The file of an archive. Raises Unavailable if it is missing, damaged or another one."""
    path = path_of(conn, archive).absolute()
    key = os.getpid(), path
    if not is_there(conn, archive):  # even if it is still open, so that the loss is noticed at once
        raise missing(conn, archive)
    with _using:
        if key in _open:
            _open.move_to_end(key)
            return _open[key]
    found = ArchiveFile(path)
    head = found.head
    if (head.first, head.last, head.matches) != (archive.first, archive.last, archive.matches):
        found.close()
        raise damaged(archive.name, "its matches are not those listed in the database")
    with _using:
        _open[key] = found
        while len(_open) > KEPT:  # each is closed after its last use
            _open.popitem(last=False)
    return found


def check_there(conn: Connection, tournament: int) -> None:
    """Opens all archives with matches of a tournament. Raises Unavailable if one is missing or
    damaged."""
    for archive in catalogue.of_tournament(conn, tournament):
        opened(conn, archive)


def forget(path: Path) -> None:
    """Makes the next use open the file at a path again."""
    with _using:
        _open.pop((os.getpid(), path.absolute()), None)


def missing(conn: Connection, archive: Archive, what: str = "Matches are in") -> Unavailable:
    """The error for a missing file."""
    return Unavailable(
        f"{what} the archive {archive.name}, which is not in {folder_of(conn)} or cannot be "
        "read. Put it or a copy there, or set ARENA_ARCHIVE to its folder.",
        f"{what} the archive {archive.name}, which is missing. Ask the arena's operator for it.",
    )
