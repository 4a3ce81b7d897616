"""Checks archives, and moves an archived month back into the database."""

from contextlib import closing

from sqlalchemy import Connection, delete, insert, select

from arena.base.errors import NotFound, NotNow
from arena.store.archive import catalogue, open_files
from arena.store.archive.catalogue import Archive
from arena.store.archive.layout import damaged
from arena.store.archive.open_files import ArchiveFile
from arena.store.archiving.save import Tell, digest
from arena.store.dialects import write_rows
from arena.store.engine import PATIENT, Store
from arena.store.matches import months
from arena.store.registry import audit_log
from arena.store.registry.audit_log import Actor
from arena.store.tables import MATCH_TABLES, archived_deals, archived_tournaments, archives, matches

INSERT = [(insert(table), table.name, table.c.keys()) for table in MATCH_TABLES]


def check_archive(conn: Connection, archive: Archive) -> None:
    """Reads a whole archive and compares it with its checksums and indexes, and the file with the
    stored digest. Raises Unavailable if it is missing, damaged or another one."""
    path = open_files.path_of(conn, archive)
    if not open_files.is_there(conn, archive):
        raise open_files.missing(conn, archive)
    with closing(ArchiveFile(path)) as file:
        file.check()
    if digest(path) != archive.digest:
        raise damaged(archive.name, "it is not the file that was saved")


def restore_month(
    store: Store, month: int, actor: Actor | None, tell: Tell = lambda _: None
) -> list[str]:
    """Restores an archived month in one transaction. Returns the names of its files, which stay in
    the folder but are no longer needed.

    Raises NotFound if the month is not archived, NotNow if the database has matches of it,
    Unavailable if a file is missing or damaged. Nothing is changed then.
    """
    name = months.name(month)
    with store.read() as conn:
        known = catalogue.of_month(conn, month)
        if not known:
            raise NotFound(f"{name} is not archived. `arena archive list` lists the archives.")
        for archive in known:
            tell(f"{archive.name}: checking the file")
            check_archive(conn, archive)
    with store.write(PATIENT) as conn:
        if catalogue.of_month(conn, month) != known:
            raise NotNow(f"Another process is restoring {name}. See `arena archive list`.")
        _check_empty(conn, month)
        months.make_month(conn, month)
        for archive in known:
            tell(f"{archive.name}: restoring {archive.matches:,} matches")
            _restore(conn, archive)
        count = sum(archive.matches for archive in known)
        audit_log.note(conn, actor, "restored", f"matches of {name}", f"{count:,} matches")
    return [archive.name for archive in known]


def _check_empty(conn: Connection, month: int) -> None:
    number = matches.c.number.between(*months.bounds(month))
    if conn.scalar(select(matches.c.number).where(number).limit(1)) is not None:
        raise NotNow(
            f"Nothing was restored. The database already has matches of "
            f"{months.name(month)}. Find out where they come from first."
        )


def _restore(conn: Connection, archive: Archive) -> None:
    file = open_files.opened(conn, archive)
    for block in file.each_block():
        for statement, table, columns in INSERT:
            write_rows(conn, statement, columns, file.rows(block, table))
    for part in (archived_deals, archived_tournaments):
        conn.execute(delete(part).where(part.c.archive == archive.id))
    conn.execute(delete(archives).where(archives.c.id == archive.id))
