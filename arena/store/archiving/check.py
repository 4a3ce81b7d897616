"""Checks whole archives."""

from __future__ import annotations

from sqlalchemy import Connection

from arena.store.archive import open_files
from arena.store.archive.catalogue import Archive
from arena.store.archive.file import ArchiveFile
from arena.store.archive.layout import damaged
from arena.store.archiving.files import digest


def check_archive(conn: Connection, archive: Archive) -> None:
    """Reads a whole archive and compares it with its checksums and indexes, and the file with the
    stored digest. Raises Unavailable if it is missing, damaged or another one."""
    path = open_files.path_of(conn, archive)
    if not open_files.is_there(conn, archive):
        raise open_files.missing(conn, archive)
    file = ArchiveFile(path)
    try:
        file.check()
    finally:
        file.close()
    if digest(path) != archive.digest:
        raise damaged(archive.name, "it is not the file that was saved")
