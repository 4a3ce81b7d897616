"""Archives a month: writes it to files, and deletes it from the database.

While results are stored, the files are written, read back, and compared row by row with the
database. Then one transaction removes the month from the database and lists the files. Until then
the database has everything. A file written before a crash is reused when the month is saved again.
Meanwhile only a rebuild or a resumed tournament could change rows, which the transaction detects.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, Select, Table, func, insert, select

from arena.base import instant
from arena.base.errors import NotNow, Unavailable
from arena.store.archive.layout import BLOCK, MOST, damaged, new_archive
from arena.store.archive.open_files import ArchiveFile, forget
from arena.store.archiving import ready
from arena.store.engine import PATIENT, Store
from arena.store.matches import months
from arena.store.migrate import HEAD
from arena.store.registry import audit_log
from arena.store.registry.audit_log import Actor
from arena.store.tables import (
    MATCH_TABLES,
    archived_deals,
    archived_tournaments,
    archives,
    matches,
    rated_games,
)

TRIES = 8
Rows = list[tuple[Any, ...]]
Tell = Callable[[str], None]


@dataclass(frozen=True)
class SavedFile:
    """A file that was written and compared: its name, the numbers of its first and last match, the
    number of matches, SHA-256 digest and size in bytes."""

    name: str
    first: int
    last: int
    matches: int
    digest: bytes
    size: int


def save_month(
    store: Store, month: int, actor: Actor | None, tell: Tell = lambda _: None, most: int = MOST
) -> list[SavedFile]:
    """Archives a month in files of up to `most` matches, and reports the progress to `tell`. Raises
    NotNow if something in it may still change, Unavailable if the files cannot be written or other
    transactions use the tables. Nothing in the database is changed then."""
    name, folder = months.name(month), store.archive
    with store.read() as conn:
        ready.check(conn, month)
    _make_folder(folder)
    with store.snapshot() as conn:
        before, rebuilt = _totals(conn, month), _rebuilt(conn)
        tell(f"{name}: writing {before[0]:,} matches")
        files = list(_write_files(conn, folder, month, most, tell))
    if sum(each.matches for each in files) != before[0]:
        raise Unavailable(f"Nothing was changed. The files of {name} lack matches. Try again.")
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
            tell(f"{name}: waiting for other readers of the matches")
        else:
            return files
    raise AssertionError("unreachable")


def _rebuilt(conn: Connection) -> dict[str, int]:
    """How often each game's Elo was rebuilt."""
    query = select(rated_games.c.game, rated_games.c.rebuilt).order_by(rated_games.c.game)
    return dict(conn.execute(query).all())


def _take_out(
    conn: Connection,
    month: int,
    files: list[SavedFile],
    before: tuple[int, int, int, int],
    rebuilt: dict[str, int],
) -> None:
    """Lists the files and deletes the month, if it has not changed since it was written."""
    ready.lock(conn, month)
    ready.check(conn, month)
    now = _rebuilt(conn)
    if _totals(conn, month) != before or any(now.get(g) != n for g, n in rebuilt.items()):
        raise NotNow(
            f"Nothing was changed. Matches of {months.name(month)} were rated again in the "
            "meantime. Run the command again."
        )
    for file in files:
        _note(conn, month, file)
    months.drop_month(conn, month)


def _note(conn: Connection, month: int, file: SavedFile) -> None:
    """Stores a file with its shares of tournaments and deals."""
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
        "created": instant.now(),
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


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(
            f"The folder {folder} of the archives cannot be created ({error.strerror}). Set "
            "ARENA_ARCHIVE to another one."
        ) from None


def _write_files(
    conn: Connection, folder: Path, month: int, most: int, tell: Tell
) -> Iterator[SavedFile]:
    """Writes all matches of a month to files of up to `most` matches, and compares each file with
    the database. Raises Unavailable."""
    last = months.bounds(month)[1]
    after = months.first(month) - 1
    for part in count(1):
        query = select(matches.c.number).where(matches.c.number.between(after + 1, last)).limit(1)
        if conn.scalar(query) is None:
            return
        saved = _file(conn, folder, month, part, after, most)
        after = saved.last
        each = saved.size / saved.matches
        tell(f"{saved.name}: {saved.matches:,} matches of {each:,.0f} bytes, written and verified")
        yield saved


def _file(
    conn: Connection, folder: Path, month: int, part: int, after: int, most: int
) -> SavedFile:
    """Writes and compares a file, or reuses the file of an interrupted save."""
    for again in count():
        suffix = f"-{again}" if again else ""
        path = folder / f"matches-{months.name(month)}-{part}{suffix}.sqlite"
        if not path.exists():
            with new_archive(path) as archive:
                for block in _blocks(conn, month, after, most):
                    archive.add_block(block)
                archive.finish(HEAD, months.name(month))
            return _compared(conn, path, after)
        try:
            return _compared(conn, path, after)
        except Unavailable:
            continue  # a foreign file, or one of rows that have changed since: it is kept
    raise AssertionError("unreachable")


def _compared(conn: Connection, path: Path, after: int) -> SavedFile:
    """Compares a file with the matches after a number. Raises Unavailable if they differ."""
    forget(path)
    with closing(ArchiveFile(path)) as file:
        file.check()
        expected = after
        for block in file.each_block():
            numbers = block.array("matches", "number")
            first, last = int(numbers[0]), int(numbers[-1])
            stored = between(conn, expected + 1, last)
            if [file.rows(block, table.name) for table in MATCH_TABLES] != stored:
                raise damaged(path.name, f"matches {first} to {last} differ from the database")
            expected = last
        head, size = file.head, path.stat().st_size
        return SavedFile(path.name, head.first, head.last, head.matches, digest(path), size)


def digest(path: Path) -> bytes:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _blocks(conn: Connection, month: int, after: int, most: int) -> Iterator[list[Rows]]:
    """Up to `most` matches of a month numbered above `after`, in order: for each block, the rows of
    each of MATCH_TABLES with all columns."""
    last = months.bounds(month)[1]
    while most > 0:
        found = _read(conn, matches, after + 1, last, min(most, BLOCK))
        if not found:
            return
        first, after = found[0][0], found[-1][0]
        yield [found, *(_read(conn, table, first, after) for table in MATCH_TABLES[1:])]
        most -= len(found)


def between(conn: Connection, first: int, last: int) -> list[Rows]:
    """The rows of each of MATCH_TABLES for the matches with these numbers."""
    return [_read(conn, table, first, last) for table in MATCH_TABLES]


def _read(conn: Connection, table: Table, first: int, last: int, limit: int | None = None) -> Rows:
    query: Select[Any] = select(table).where(_number(table).between(first, last))
    query = query.order_by(*table.primary_key.columns).limit(limit)
    return [tuple(row) for row in conn.execute(query)]


def _number(table: Table) -> Column[Any]:
    """The column with the number of the match."""
    return next(iter(table.primary_key.columns))


def _totals(conn: Connection, month: int) -> tuple[int, int, int, int]:
    """Number of rows of each of MATCH_TABLES in a month, and number of rated matches."""
    within = [_number(table).between(*months.bounds(month)) for table in MATCH_TABLES]
    counts = [
        conn.scalar(select(func.count()).select_from(table).where(here)) or 0
        for table, here in zip(MATCH_TABLES, within, strict=True)
    ]
    rated = select(func.count(matches.c.rated_seq)).where(within[0])
    return counts[0], counts[1], counts[2], conn.scalar(rated) or 0
