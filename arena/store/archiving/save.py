"""A month to files, and out of the database.

The files are written beside whoever stores results, read back, and compared row by row with the
database. Then one transaction takes the month out of the database and notes the files. Until it
ends the database has everything; a file that was written before a crash is found and taken when
the month is saved again. Only a rebuild or a tournament that is resumed could change rows
meanwhile: the transaction looks whether there was one.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path

from sqlalchemy import Connection, func, insert, select

from arena.errors import NotNow, Unavailable
from arena.store.archive.file import ArchiveFile
from arena.store.archive.layout import MOST, damaged
from arena.store.archive.open_files import forget
from arena.store.archive.writing import TABLES, new_archive
from arena.store.archiving import ready, rows
from arena.store.engine import PATIENT, Store
from arena.store.matches import months
from arena.store.matches.partitions import drop_month
from arena.store.migrate import HEAD
from arena.store.registry import audit_log
from arena.store.registry.audit_log import Actor
from arena.store.tables import (
    archived_deals,
    archived_tournaments,
    archives,
    matches,
    rated_games,
)

TRIES = 8
READ = 1 << 20  # bytes at a time

Tell = Callable[[str], None]


@dataclass(frozen=True)
class SavedFile:
    """A file that was written and compared: name, numbers of its first and last match, how many,
    SHA-256 and bytes of the file."""

    name: str
    first: int
    last: int
    matches: int
    digest: bytes
    size: int


def save_month(
    store: Store, month: int, actor: Actor | None, tell: Tell = lambda _: None, most: int = MOST
) -> list[SavedFile]:
    """Archives a month, at most so many matches to a file; says what it is at in sentences.

    Raises NotNow while something in it may still change, Unavailable if the files cannot be written
    or others do not let go of the tables. The database is as before then.
    """
    name, folder = months.name(month), store.archive
    with store.read() as conn:
        ready.check(conn, month)
    _make_folder(folder)
    with store.snapshot() as conn:
        before, rebuilt = rows.totals(conn, month), _rebuilt(conn)
        tell(f"{name}: writing {before[0]:,} matches")
        files = list(_files(conn, folder, month, most, tell))
    if sum(each.matches for each in files) != before[0]:
        raise Unavailable(f"The files of {name} lack matches, so nothing was changed: try again.")
    for left in range(TRIES - 1, -1, -1):
        try:
            with store.write(PATIENT) as conn:
                _take_out(conn, month, files, before, rebuilt)
                size = sum(each.size for each in files)
                details = f"{before[0]:,} matches, {size / 1e6:,.1f} MB"
                audit_log.note(conn, actor, "archived", f"matches of {name}", details)
        except Unavailable:
            if not left:
                raise
            tell(f"{name}: waiting for others who read the matches")
        else:
            return files
    raise AssertionError("unreachable")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(
            f"The folder {folder} of the archives cannot be made ({error.strerror}): name another "
            "one in ARENA_ARCHIVE."
        ) from None


def _files(
    conn: Connection, folder: Path, month: int, most: int, tell: Tell
) -> Iterator[SavedFile]:
    last = rows.of_month(month)[1]
    after = months.first(month) - 1
    for part in count(1):
        query = select(matches.c.number).where(matches.c.number.between(after + 1, last)).limit(1)
        if conn.scalar(query) is None:
            return
        saved = _file(conn, folder, month, part, after, most)
        after = saved.last
        each = saved.size / saved.matches
        tell(f"{saved.name}: {saved.matches:,} matches of {each:,.0f} bytes, read back and right")
        yield saved


def _file(
    conn: Connection, folder: Path, month: int, part: int, after: int, most: int
) -> SavedFile:
    """Writes a file and compares it; or takes one that was left by a save that did not end."""
    for again in count():
        suffix = f"-{again}" if again else ""
        path = folder / f"matches-{months.name(month)}-{part}{suffix}.sqlite"
        if not path.exists():
            with new_archive(path) as archive:
                for block in rows.blocks(conn, month, after, most):
                    archive.add_block(block)
                archive.finish(HEAD, months.name(month))
            return _compared(conn, path, after)
        try:
            return _compared(conn, path, after)
        except Unavailable:
            continue  # of somebody else, or of rows that were others then: it is left alone
    raise AssertionError("unreachable")


def _compared(conn: Connection, path: Path, after: int) -> SavedFile:
    """Reads a file back. Raises Unavailable if it is not what the database has after a number."""
    forget(path)
    file = ArchiveFile(path)
    try:
        file.check()
        expected = after
        for block in file.each_block():
            numbers = block.array("matches", "number")
            first, last = int(numbers[0]), int(numbers[-1])
            stored = rows.between(conn, expected + 1, last)
            if [file.rows(block, table.name) for table in TABLES] != stored:
                raise damaged(path.name, f"matches {first} to {last} are others than were stored")
            expected = last
        head = file.head
        return SavedFile(
            path.name, head.first, head.last, head.matches, digest(path), path.stat().st_size
        )
    finally:
        file.close()


def digest(path: Path) -> bytes:
    """SHA-256 of a file."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(READ):
            found.update(part)
    return found.digest()


def _rebuilt(conn: Connection) -> dict[str, int]:
    """How often each game's Elo was counted again."""
    query = select(rated_games.c.game, rated_games.c.rebuilt).order_by(rated_games.c.game)
    return dict(conn.execute(query).all())


def _take_out(
    conn: Connection,
    month: int,
    files: list[SavedFile],
    before: tuple[int, int, int, int],
    rebuilt: dict[str, int],
) -> None:
    """Notes the files and drops the month, if it is still what was written."""
    ready.lock(conn, month)
    ready.check(conn, month)
    now = _rebuilt(conn)
    if rows.totals(conn, month) != before or any(now.get(g) != n for g, n in rebuilt.items()):
        raise NotNow(
            f"Matches of {months.name(month)} were rated again meanwhile, so nothing was changed: "
            "run the command again."
        )
    for file in files:
        _note(conn, month, file)
    drop_month(conn, month)


def _note(conn: Connection, month: int, file: SavedFile) -> None:
    """Notes a file and what it has of tournaments and deals."""
    within = matches.c.number.between(file.first, file.last)
    ended = conn.scalar(select(func.max(matches.c.finished)).where(within))
    row = {
        "name": file.name,
        "month": month,
        "first": file.first,
        "last": file.last,
        "matches": file.matches,
        "digest": file.digest,
        "ended": ended,
        "created": time.time(),
    }
    archive = conn.execute(insert(archives).returning(archives.c.id), row).scalar_one()
    of_it = ready.in_range(conn, file.first, file.last)
    lines = [{**asdict(each), "archive": archive} for each in of_it]
    conn.execute(insert(archived_tournaments), lines)
    partial = [
        {"tournament": tournament, "deal": deal, "archive": archive, "matches": here}
        for tournament, deal, here, _ in ready.partial_deals(conn, file.first, file.last)
    ]
    if partial:
        conn.execute(insert(archived_deals), partial)
