"""The archive files that this process has open: few, those that were used last."""

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

_open: OrderedDict[tuple[int, Path], ArchiveFile] = OrderedDict()  # a fork opens its own
_using = Lock()


def folder_of(conn: Connection) -> Path:
    """Where this process looks for archives."""
    return store_of(conn).archive


def path_of(conn: Connection, archive: Archive) -> Path:
    """Where an archive has to be."""
    return folder_of(conn) / archive.name


def is_there(conn: Connection, archive: Archive) -> bool:
    """Whether its file is in the folder, for this user to read."""
    return os.access(path_of(conn, archive), os.R_OK)


def opened(conn: Connection, archive: Archive) -> ArchiveFile:
    """The file of an archive. Raises Unavailable if it is not there, damaged or another one."""
    path = path_of(conn, archive).absolute()
    key = os.getpid(), path
    if not is_there(conn, archive):  # also where it is still open: nobody is to find out later
        raise missing(conn, archive)
    with _using:
        if key in _open:
            _open.move_to_end(key)
            return _open[key]
    found = ArchiveFile(path)
    head = found.head
    if (head.first, head.last, head.matches) != (archive.first, archive.last, archive.matches):
        found.close()
        raise damaged(archive.name, "it holds other matches than the database says")
    with _using:
        _open[key] = found
        while len(_open) > KEPT:  # closed when nobody uses it any more
            _open.popitem(last=False)
    return found


def check_there(conn: Connection, tournament: int) -> None:
    """Opens all archives that have matches of a tournament. Raises Unavailable if one is not there
    or damaged."""
    for archive in catalogue.of_tournament(conn, tournament):
        opened(conn, archive)


def forget(path: Path) -> None:
    """Opens the file at a path anew when it is used the next time."""
    with _using:
        _open.pop((os.getpid(), path.absolute()), None)


def missing(conn: Connection, archive: Archive, what: str = "Matches are in") -> Unavailable:
    """What to say of a file that is not there."""
    return Unavailable(
        f"{what} the archive {archive.name}, which is not in {folder_of(conn)}, or not for this "
        "user to read: put it or a copy of it there, or name its folder in ARENA_ARCHIVE."
    )
